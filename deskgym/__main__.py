"""`python -m deskgym` is the command line."""

from deskgym.cli.main import main

main()
