"""Fresh shells for the agent's commands: started ahead, they wait for the command they will run."""

from __future__ import annotations

import fcntl
import os
import re
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

# The exported variables that the last command left come with the environment. $1 holds what else
# of its state has to be evaluated. This is done before the command is known, and the shell then
# waits: starting it costs the next command nothing.
# The kernel shall take the agent's processes when memory runs out, never the runner's.
# The state is written when the command is done, and by the trap if the command itself exits; so a
# trap of the command's own replaces ours and does no harm.
# While the shell waited its folder may have been removed, or made anew under the same name.
_PRELUDE = f"""
echo 500 >/proc/self/oom_score_adj
[[ $1 ]] && eval "$1" 2>/dev/null
set --
__desk_state() {{
  [[ ${{__desk_done-}} ]] && return
  __desk_done=1
  {{ printf 'cd -- %q\\n' "$PWD"; declare -px; }} >&{_STATE_FD} 2>/dev/null
}}
__desk_return() {{
  local before=${{OLDPWD-}}
  if cd -- "$PWD" 2>/dev/null; then OLDPWD=$before; else cd -- {DESK}; fi
}}
trap __desk_state EXIT
IFS= read -r -d '' -u {_COMMAND_FD} __desk_command || {{ trap - EXIT; exit 0; }}
exec {_COMMAND_FD}<&-
[[ . -ef $PWD ]] || __desk_return
eval "$__desk_command"
__desk_status=$?
__desk_state
exit $__desk_status
"""


_AT_DESK = f"cd -- {DESK}"
# Nothing in the value that a shell would expand, and no name that changes how bash starts.
_PLAIN = re.compile(r'declare -x (?!BASH|POSIX)(\w+)="([^"\\$`]*)"\n')


class Shell:
    """One bash, waiting to be told its command. ``command``, ``output`` and ``state`` are
    ends of pipes."""

    def __init__(self, state: str) -> None:
        variables, rest = _parted(state)
        devnull = os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC)
        command_r, self.command = os.pipe()
        self.output, output_w = os.pipe()
        self.state, state_w = os.pipe()
        # The shell's script names these two by number.
        os.dup2(command_r, _COMMAND_FD, inheritable=False)
        os.dup2(state_w, _STATE_FD, inheritable=False)
        try:
            self.pid = spawn(
                [_BASH, "--norc", "--noprofile", "-c", _PRELUDE, "bash", rest],
                variables,
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
        self.untold = memoryview(b"")
        os.set_blocking(self.command, False)
        os.set_blocking(self.output, False)
        os.set_blocking(self.state, False)
        self.reaped = False

    @staticmethod
    def _close(*fds: int) -> None:
        for fd in fds:
            os.close(fd)

    def tell(self, command: bytes) -> bool:
        """Give it its command; False if it is no longer there to take one.

        A long command does not fit into the pipe at once: `tell_more` when it has room again.
        """
        os.kill(self.pid, signal.SIGCONT)  # the agent may have stopped it while it waited
        self.untold = memoryview(command + b"\0")
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
            while self.untold:
                self.untold = self.untold[os.write(self.command, self.untold) :]
        except BlockingIOError:
            return True
        return False

    def took_command(self) -> bool:
        """Whether the shell has read all of its command. If not, it has run none of it."""
        unread = fcntl.ioctl(self.command, termios.FIONREAD, struct.pack("i", 0))
        return not self.untold and struct.unpack("i", unread)[0] == 0

    def reap(self) -> int:
        """Wait for its end; the exit status, or minus the number of the signal that ended it."""
        _, status = os.waitpid(self.pid, 0)
        self.reaped = True
        return os.waitstatus_to_exitcode(status)

    def close(self) -> None:
        """End it, if it has not ended, and forget it."""
        if not self.reaped:
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
    return "\n".join([_AT_DESK, *lines, ""])


def _parted(state: str) -> tuple[dict[str, str], str]:
    """The plain variables that ``state`` begins with, and what is left for bash to evaluate.

    With its variables in the environment a shell starts faster than if it has to evaluate them.
    """
    folder, _, declared = state.partition("\n")
    variables = {}
    end = 0
    while line := _PLAIN.match(declared, end):
        variables[line[1]] = line[2]
        end = line.end()
    variables.pop("SHLVL", None)  # the shell counts itself
    rest = declared[end:]
    if folder != _AT_DESK:
        # Going there changes what `cd -` means. If it is not there just now, its name is kept, as
        # it may be made anew before there is a command.
        before = variables.get("OLDPWD")
        back = f'declare -x OLDPWD="{before}"\n' if before is not None else ""
        rest = f"{folder} || PWD={folder.removeprefix('cd -- ')}\n{back}{rest}"
    return variables, rest


class Nursery:
    """Shells kept ready. Two: while one runs its command, the next is already there."""

    READY = 2

    def __init__(self) -> None:
        self.state = first_state()
        self._ready: list[Shell] = []
        self._told: Shell | None = None

    def told(self, command: bytes) -> Shell:
        """A shell that has been given ``command``.

        Raises:
            OSError: none can be started: the desk is full of processes.
        """
        while True:
            # One that waits may have been killed meanwhile; one just started has not.
            fresh = not self._ready
            shell = self._start() if fresh else self._ready.pop(0)
            self._told = shell
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

    @property
    def running(self) -> int:
        """The process id of the shell that was told last, until its end has been asked for."""
        return 0 if self._told is None or self._told.reaped else self._told.pid

    def bury(self, pid: int) -> bool:
        """Forget the shell of that process id, if it is one that waited."""
        for shell in self._ready:
            if shell.pid == pid:
                self._ready.remove(shell)
                shell.close()
                return True
        return False

    def empty(self) -> None:
        for shell in self._ready:
            shell.close()
        self._ready.clear()

    def _start(self) -> Shell:
        return Shell(self.state)
