"""What makes the demo people's files: run ``python -m deskgym.tasks.demo.make``."""
