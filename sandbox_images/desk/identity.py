"""Who is who inside the desk, and where things lie."""

import os


def _exist(*uids: int) -> bool:
    """Whether there are such users here. In a user namespace that an unprivileged user has made
    by themself there is one user only."""
    try:
        with open("/proc/self/uid_map") as file:
            rows = [[int(field) for field in line.split()] for line in file]
    except FileNotFoundError:  # read on a host without /proc, which is no desk
        return True
    return all(any(first <= uid < first + count for first, _, count in rows) for uid in uids)


SEPARATE = _exist(1000, 1001)  # else the runner, the agent and the tool worker are one user
AGENT_UID = 1000 if SEPARATE else os.getuid()  # every command of the agent
# The tool worker: it must neither be signalled nor read by the agent.
READER_UID = 1001 if SEPARATE else os.getuid()

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
