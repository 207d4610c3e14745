"""Who is who inside the desk, and where things lie."""

AGENT_UID = 1000  # every command of the agent
READER_UID = 1001  # the tool worker: it must neither be signalled nor read by the agent

DESK = "/desk"
ALIASES = ("/desk", "/hippocamp/data")
SCRATCH = "/scratch"
OUTPUT = "/scratch/output"
WIPED = ("/scratch", "/tmp", "/dev/shm")
SOCKET = "/run/deskgym/api.sock"
LIBRARY = "/opt/deskgym/lib"
PREPARED = "/opt/deskgym/private/prepared"  # its parent keeps the agent out

ENVIRONMENT = {
    "HOME": SCRATCH,
    "USER": "desk",
    "LOGNAME": "desk",
    "SHELL": "/bin/bash",
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "TERM": "dumb",
    "PYTHONDONTWRITEBYTECODE": "1",
    "HIPPOCAMP_DATA_DIR": "/hippocamp/data",
    "HIPPOCAMP_OUTPUT_DIR": "/hippocamp/output",
}
