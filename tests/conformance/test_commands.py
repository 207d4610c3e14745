"""Commands: what a terminal's user may count on."""

from __future__ import annotations

import time

import pytest
from desk_kit import check_works, run, shown

from deskgym.env.sandbox.base import ExecRequest, Sandbox

pytestmark = pytest.mark.docker


@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("true", 0),
        ("exit 3", 3),
        ("(exit 4)", 4),
        ("no-such-program", 127),
        ("/desk/a.txt", 126),
        ("set -e; false; echo not reached", 1),
        ("kill -TERM $$", 143),
        ("bash -c 'kill -SEGV $$'", 139),
        ("exec false", 1),
        ("false; true", 0),
        ("trap 'true' EXIT; exit 5", 5),
        ("if then", 2),
        ("echo 'unclosed", 2),
    ],
)
def test_the_exit_status_is_the_shells(desk: Sandbox, command: str, status: int) -> None:
    response = run(desk, command)
    assert (response.ok, response.exit_status, response.timed_out) == (True, status, False)
    check_works(desk)


def test_output_and_errors_come_in_the_order_written(desk: Sandbox) -> None:
    command = "echo one; echo two >&2; echo three; echo four >&2"
    response = run(desk, command)
    assert response.payload == b"one\ntwo\nthree\nfour\n"
    assert response.bytes_out == len(response.payload)
    assert response.spool is None


def test_folder_and_exports_carry_over_and_nothing_else(desk: Sandbox) -> None:
    run(desk, "cd /tmp; export KEPT='a \"b\" $c\n\\d'; LOST=1; alias ll=ls; f() { :; }; set -u")
    told = shown(desk, 'pwd; printf "[%s]" "$KEPT" "${LOST-}" "$unset"; type f ll 2>&1; true')
    assert told.startswith('/tmp\n[a "b" $c\n\\d][][]')
    assert "f: not found" in told
    assert "ll: not found" in told


def test_cd_minus_goes_back_across_commands(desk: Sandbox) -> None:
    shown(desk, "cd /desk/folder")
    shown(desk, "cd /tmp")
    assert shown(desk, "cd -; pwd") == "/desk/folder\n/desk/folder\n"


@pytest.mark.parametrize("odd", ["$'\\xff\\xfe'", "$'\\n'", "'*'", "-n", "' lead'", "$'\\e[0m'"])
def test_odd_values_and_folders_carry_over(desk: Sandbox, odd: str) -> None:
    shown(desk, f"export ODD={odd}; mkdir -p -- /scratch/{odd}x; cd -- /scratch/{odd}x")
    assert shown(desk, f'test "$ODD" = {odd} && test "$PWD" = /scratch/{odd}x && echo same')
    assert shown(desk, "[[ . -ef $PWD ]] && echo there") == "there\n"


def test_unsetting_an_exported_variable_carries_over(desk: Sandbox) -> None:
    shown(desk, "export GONE=1; unset HOME")
    shown(desk, "unset GONE")
    assert shown(desk, "echo [$GONE] [$HOME]") == "[] []\n"


def test_what_exit_and_the_commands_own_trap_leave_carries_over(desk: Sandbox) -> None:
    assert run(desk, "export A=1; cd /tmp; exit 3").exit_status == 3
    assert shown(desk, "echo $A; pwd") == "1\n/tmp\n"
    assert shown(desk, "trap 'echo bye' EXIT; export B=2; cd /desk") == "bye\n"
    assert shown(desk, "echo $B; pwd") == "2\n/desk\n"


def test_exec_replaces_the_shell_and_leaves_what_was(desk: Sandbox) -> None:
    shown(desk, "cd /tmp; export A=1")
    assert shown(desk, "cd /desk; exec echo replaced") == "replaced\n"
    assert shown(desk, "pwd; echo $A") == "/tmp\n1\n"


@pytest.mark.parametrize("pause", ["", "true"], ids=["at once", "while a shell waits"])
def test_a_removed_folder_is_left_for_the_profiles(desk: Sandbox, pause: str) -> None:
    shown(desk, "mkdir /scratch/here; cd /scratch/here")
    if pause:
        shown(desk, pause)
    run(desk, "rmdir /scratch/here")
    assert shown(desk, 'pwd; echo "$PWD"; ls -d a.txt') == "/desk\n/desk\na.txt\n"


@pytest.mark.parametrize("shells", ["started before", "started meanwhile"])
def test_a_folder_made_anew_is_the_new_one(desk: Sandbox, shells: str) -> None:
    made = "mkdir /scratch/here; touch /scratch/here/new"
    shown(desk, "cd /tmp; mkdir /scratch/here; cd /scratch/here")
    if shells == "started before":
        shown(desk, f"rmdir /scratch/here; {made}")
    else:  # as the variables are others now
        shown(desk, f"export A=1; rmdir /scratch/here; (sleep 1; {made}) >/dev/null 2>&1 &")
        time.sleep(2)
    assert [shown(desk, "pwd; ls") for _ in range(4)] == ["/scratch/here\nnew\n"] * 4
    assert shown(desk, "cd -") == "/tmp\n"


def test_a_syntax_error_is_told_and_runs_nothing(desk: Sandbox) -> None:
    response = run(desk, "echo before\nif then")
    assert b"syntax error" in response.payload
    check_works(desk)


def test_heredocs_and_many_lines_are_one_command(desk: Sandbox) -> None:
    assert shown(desk, "for i in 1 2\ndo\ncat <<EOF\nline $i\nEOF\ndone\n") == "line 1\nline 2\n"


@pytest.mark.parametrize("reader", ["cat", "read -r x", "python3 -c 'input()'", "bash", "wc -c"])
def test_standard_input_is_empty(desk: Sandbox, reader: str) -> None:
    response = run(desk, f"{reader}; echo went on", timeout_s=20)
    assert not response.timed_out
    assert response.payload.endswith(b"went on\n")


def test_a_child_in_the_background_does_not_hold_up_the_command(desk: Sandbox) -> None:
    response = run(desk, "sleep 100 & echo $!", timeout_s=20)
    assert not response.timed_out
    child = int(response.payload)
    assert shown(desk, f"kill -0 {child} && echo alive") == "alive\n"


def test_a_child_that_goes_on_writing_does_not_hold_up_the_command(desk: Sandbox) -> None:
    assert not run(desk, "yes & sleep 0.1; echo", timeout_s=20).timed_out
    assert shown(desk, "echo next") == "next\n"


def test_output_that_is_no_utf8_comes_as_it_is(desk: Sandbox) -> None:
    assert run(desk, r"printf 'a\xff\x00\xc3\x28\n'").payload == b"a\xff\0\xc3(\n"


def test_all_byte_values_come_through(desk: Sandbox) -> None:
    program = "import sys; sys.stdout.buffer.write(bytes(range(256)) * 4)"
    assert run(desk, f"python3 -c '{program}'").payload == bytes(range(256)) * 4


def test_a_command_with_a_nul_is_refused(desk: Sandbox) -> None:
    response = run(desk, "echo a\0; touch /scratch/b")
    assert not response.ok
    assert response.error is not None
    assert response.error.kind == "bad_argument"
    assert shown(desk, "ls /scratch") == "output\n"


def test_a_command_that_is_no_unicode_is_refused(desk: Sandbox) -> None:
    request = ExecRequest.model_construct(
        op="exec", command="echo \ud800", timeout_s=5.0, max_bytes=1_000
    )
    response = desk.request(request)
    assert response.error is not None
    assert response.error.kind == "bad_argument"
    check_works(desk)


def test_a_command_of_90000_characters_is_run_whole(desk: Sandbox) -> None:
    text = "".join(f"{i:06d}" for i in range(15_000))
    assert len(text) == 90_000
    command = f"x='{text}'; echo ${{#x}}; printf %s \"$x\" | md5sum | cut -c1-32"
    length, digest = shown(desk, command).split()
    assert length == "90000"
    assert digest == shown(desk, f"md5sum <<< '{text}' >/dev/null; printf %s {text} | md5sum")[:32]


def test_exports_over_100_kb_are_reported_and_not_carried(desk: Sandbox) -> None:
    shown(desk, "export SMALL=1")
    told = shown(desk, "export SMALL=2 BIG=$(printf '%0150000d' 0); echo done")
    assert told.startswith("done\n")
    assert "over 100 kB" in told
    assert shown(desk, "echo $SMALL ${#BIG}") == "1 0\n"


def test_a_timeout_keeps_what_was_written_and_says_so(desk: Sandbox) -> None:
    response = run(desk, "echo started; echo more >&2; sleep 100", timeout_s=0.7)
    assert response.timed_out
    assert response.exit_status is None
    assert response.payload.startswith(b"started\nmore\n")
    assert b"timed out after 0.7 s" in response.payload
    check_works(desk)


def test_a_timeout_ends_every_child_however_it_hides(desk: Sandbox) -> None:
    command = (
        "setsid sleep 333 & nohup sleep 333 & (trap '' TERM HUP INT; sleep 333) & "
        "python3 -c 'import os, time\nif os.fork() == 0:\n os.setsid()\n"
        " if os.fork() == 0: time.sleep(333)' & disown -a; sleep 333"
    )
    assert run(desk, command, timeout_s=1).timed_out
    assert shown(desk, "pgrep -c -u 1000 'sleep|python3' || true") == "0\n"


def test_a_timeout_forgets_what_the_command_set(desk: Sandbox) -> None:
    shown(desk, "cd /tmp; export A=1")
    run(desk, "cd /desk; export A=2; sleep 100", timeout_s=0.5)
    assert shown(desk, "pwd; echo $A") == "/tmp\n1\n"


@pytest.mark.parametrize("max_bytes", [1_000, 1_001, 50_000])
def test_much_output_keeps_head_and_tail_and_names_the_file_of_it_all(
    desk: Sandbox, max_bytes: int
) -> None:
    whole = "".join(f"{i}\n" for i in range(1, 30_001)).encode()
    response = run(desk, "seq 30000", max_bytes=max_bytes)
    half = max_bytes // 2
    assert response.bytes_out == len(whole)
    assert response.payload[:half] == whole[:half]
    assert response.payload[-half:] == whole[-half:]
    line = response.payload[half:-half].decode()
    assert f"{len(whole) - 2 * half} bytes left out" in line
    assert response.spool is not None
    assert response.spool.startswith("/scratch/")
    assert response.spool in line
    assert run(desk, f"cat {response.spool}", max_bytes=1_000_000).payload == whole


def test_output_of_just_the_cap_is_whole(desk: Sandbox) -> None:
    response = run(desk, "head -c 1000 /desk/big.txt", max_bytes=1_000)
    assert response.payload == (b"0123456789abcde\n" * 63)[:1000]
    assert response.spool is None
