"""Fresh shells for the agent's commands: started ahead, they wait for the command they will run."""

from __future__ import annotations

import fcntl
import os
import signal
import struct
import termios

from .identity import AGENT_UID, DESK, ENVIRONMENT
from .processes import spawn

# The same bash, linked statically: it starts in half the time.
_BASH = "/bin/bash-static"
_COMMAND_FD = 198
_STATE_FD = 199
MAX_STATE = 100_000  # the kernel takes 128 KiB in one argument

# $1 holds the folder and exported variables that the last command left. It is evaluated before the
# command is known, and the shell then waits: starting it costs the next command nothing.
# The kernel shall take the agent's processes when memory runs out, never the runner's.
# The state is written when the command is done, and by the trap if the command itself exits; so a
# trap of the command's own replaces ours and does no harm.
# While the shell waited its folder may have been removed, or made anew under the same name.
_PRELUDE = f"""
echo 500 >/proc/self/oom_score_adj
eval "$1" 2>/dev/null; set --
__desk_state() {{
  [[ ${{__desk_done-}} ]] && return
  __desk_done=1
  {{ printf 'cd -- %q\\n' "$PWD"; declare -px; }} >&{_STATE_FD} 2>/dev/null
}}
trap __desk_state EXIT
IFS= read -r -d '' -u {_COMMAND_FD} __desk_command || {{ trap - EXIT; exit 0; }}
exec {_COMMAND_FD}<&-
[[ . -ef $PWD ]] || cd -- "$PWD" 2>/dev/null || cd -- {DESK}
eval "$__desk_command"
__desk_status=$?
__desk_state
exit $__desk_status
"""


class Shell:
    """One bash, waiting to be told its command. ``command``, ``output`` and ``state`` are
    ends of pipes."""

    def __init__(self, state: str) -> None:
        devnull = os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC)
        command_r, self.command = os.pipe()
        self.output, output_w = os.pipe()
        self.state, state_w = os.pipe()
        # The shell's script names these two by number.
        os.dup2(command_r, _COMMAND_FD, inheritable=False)
        os.dup2(state_w, _STATE_FD, inheritable=False)
        try:
            self.pid = spawn(
                [_BASH, "--norc", "--noprofile", "-c", _PRELUDE, "bash", state],
                {},
                AGENT_UID,
                stdin=devnull,
                stdout=output_w,
                stderr=output_w,
                keep=(_COMMAND_FD, _STATE_FD),
                cwd=DESK,
            )
        except OSError:
            self._close(self.command, self.output, self.state)
            raise
        finally:
            self._close(devnull, command_r, output_w, state_w, _COMMAND_FD, _STATE_FD)
        self.pidfd = os.pidfd_open(self.pid)
        self._untold = memoryview(b"")
        os.set_blocking(self.command, False)
        os.set_blocking(self.output, False)
        os.set_blocking(self.state, False)
        self._reaped = False

    @staticmethod
    def _close(*fds: int) -> None:
        for fd in fds:
            os.close(fd)

    def tell(self, command: bytes) -> bool:
        """Give it its command; False if it is no longer there to take one.

        A long command does not fit into the pipe at once: `tell_more` when it has room again.
        """
        os.kill(self.pid, signal.SIGCONT)  # the agent may have stopped it while it waited
        self._untold = memoryview(command + b"\0")
        try:
            self.tell_more()
        except BrokenPipeError:
            return False
        return True

    def tell_more(self) -> bool:
        """Write what the pipe takes of the command; True if there is more.

        Raises:
            BrokenPipeError: the shell is no longer there.
        """
        try:
            while self._untold:
                self._untold = self._untold[os.write(self.command, self._untold) :]
        except BlockingIOError:
            return True
        return False

    def took_command(self) -> bool:
        """Whether the shell has read all of its command. If not, it has run none of it."""
        unread = fcntl.ioctl(self.command, termios.FIONREAD, struct.pack("i", 0))
        return not self._untold and struct.unpack("i", unread)[0] == 0

    def reap(self) -> int:
        """Wait for its end; the exit status, or minus the number of the signal that ended it."""
        _, status = os.waitpid(self.pid, 0)
        self._reaped = True
        return os.waitstatus_to_exitcode(status)

    def close(self) -> None:
        """End it, if it has not ended, and forget it."""
        if not self._reaped:
            os.kill(self.pid, signal.SIGKILL)  # the agent may have stopped it: it would not exit
            self.reap()
        self._close(self.command, self.output, self.state, self.pidfd)


def first_state() -> str:
    """The state of a shell that no command has changed yet.

    Written as the shell itself writes it, so that a command that changes nothing leaves it equal
    and the shells that wait stay of use.
    """
    variables = {**ENVIRONMENT, "OLDPWD": DESK, "PWD": DESK, "SHLVL": "1"}
    lines = [f'declare -x {name}="{value}"' for name, value in sorted(variables.items())]
    return "\n".join([f"cd -- {DESK}", *lines, ""])


class Nursery:
    """Shells kept ready. Two: while one runs its command, the next is already there."""

    READY = 2

    def __init__(self) -> None:
        self.state = first_state()
        self._ready: list[Shell] = []

    def told(self, command: bytes) -> Shell:
        """A shell that has been given ``command``.

        Raises:
            OSError: none can be started: the desk is full of processes.
        """
        while True:
            # One that waits may have been killed meanwhile; one just started has not.
            fresh = not self._ready
            shell = self._start() if fresh else self._ready.pop(0)
            if shell.tell(command) or fresh:
                return shell
            shell.close()

    def refill(self) -> None:
        """Start what is missing. Raises OSError as `told`."""
        while len(self._ready) < self.READY:
            self._ready.append(self._start())

    def remember(self, state: str) -> None:
        """What the next shells begin with. Those that began with something else are let go."""
        if state != self.state:
            self.state = state
            self.empty()

    def empty(self) -> None:
        for shell in self._ready:
            shell.close()
        self._ready.clear()

    def _start(self) -> Shell:
        return Shell(self.state)
