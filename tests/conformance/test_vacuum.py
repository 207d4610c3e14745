"""The vacuum, from outside: what is in a desk that should not be, whoever looks."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from desk_kit import TOOLS, Backend, run, shown

from deskgym.env.sandbox.base import Sandbox
from deskgym.tasks.registry import load_dataset
from deskgym.tasks.schema import Task

pytestmark = pytest.mark.docker

PERSON = "adam"
# The agent's places are writable, hence empty in a new desk; these hold no files at all.
ELSEWHERE = ("proc", "sys", "dev", "desk", "scratch")
TELLING = 24  # characters: long enough to be found nowhere by chance


@pytest.fixture(scope="module")
def home(backend: Backend) -> Iterator[Sandbox]:
    person = load_dataset("demo").profile(PERSON)
    with backend.desk(person.root) as desk:
        files = tuple(record.model_dump(mode="json") for record in person.files)
        desk.configure(person.user, files, TOOLS)
        run(desk, f"return_txt '{person.files[0].path}'")  # with its tool worker at work
        yield desk


def telling(text: str) -> set[str]:
    """Stretches of a text that stand in any encoding of it as they are."""
    runs = re.findall(rf"[A-Za-z0-9 .,:;()-]{{{TELLING},}}", text)
    return {longest.strip() for longest in sorted(runs, key=len)[-1:] if longest.strip()}


def gold(task: Task) -> set[str]:
    texts = [task.question, task.answer, *(e.text for e in task.evidence)]
    texts += [step.text for step in task.rationale]
    found = {task.id, *(e.evidence_id for e in task.evidence)}
    return found.union(*(telling(text) for text in texts))


@pytest.fixture(scope="module")
def secrets() -> set[str]:
    """What no place in the desk but the person's own files may hold."""
    dataset = load_dataset("demo")
    found: set[str] = set()
    for name in dataset.profiles():
        for task in dataset.tasks(name):
            found |= gold(task)
        if not name.endswith(f"/{PERSON}"):
            profile = dataset.profile(name)
            found |= {r.path.rpartition("/")[2] for r in profile.files if len(r.path) > TELLING}
            for record in profile.files:
                if record.type in ("md", "txt", "eml", "ics", "csv", "html"):
                    text = (profile.root / record.path).read_text(errors="replace")
                    found |= telling(text)
    assert len(found) > 500
    secrets = {secret for secret in found if len(secret) >= 8}
    assert {"adam-001", "bei-001-e1"} <= secrets
    return secrets


def found_by_root(backend: Backend, desk: Sandbox, secrets: set[str], where: str) -> str:
    """What grep, as root from outside, finds of the secrets; ``where`` are shell words."""
    lines = sorted(secrets)
    listed = "/tmp/deskgym-secrets"
    try:
        for at in range(0, len(lines), 300):
            text = "\n".join(lines[at : at + 300]) + "\n"
            backend.inside(desk, "sh", "-c", f'printf %s "$1" >>{listed}', "sh", text)
        count = backend.inside(desk, "wc", "-l", listed)[1]
        assert count.split()[0] == str(len(lines))
        skipped = " ".join(f"--exclude-dir={name}" for name in ELSEWHERE)
        command = f"grep -arFo {skipped} --exclude={listed.rpartition('/')[2]} -f {listed} {where}"
        _, output = backend.inside(desk, "sh", "-c", f"{command} 2>/dev/null | head -20")
    finally:
        backend.inside(desk, "rm", "-f", listed)
    return output


def test_no_gold_and_nobody_elses_file_is_anywhere(
    backend: Backend, home: Sandbox, secrets: set[str]
) -> None:
    assert found_by_root(backend, home, secrets, "/*") == ""


def test_the_search_would_find_one(backend: Backend, home: Sandbox, secrets: set[str]) -> None:
    planted = sorted(secrets)[len(secrets) // 2]
    backend.inside(home, "sh", "-c", 'printf %s "$1" >/tmp/planted', "sh", f"x{planted}x")
    assert planted in found_by_root(backend, home, secrets, "/tmp /opt")
    backend.inside(home, "rm", "/tmp/planted")


def test_no_gold_is_in_any_process(backend: Backend, home: Sandbox, secrets: set[str]) -> None:
    command = "cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline /proc/mounts | tr '\\0' '\\n'"
    _, text = backend.inside(home, "sh", "-c", f"({command}) 2>/dev/null")
    assert "desk.runner" in text
    assert "HOME=" in text
    assert [secret for secret in secrets if secret in text] == []


def test_no_task_and_no_annotation_is_installed(backend: Backend, home: Sandbox) -> None:
    find = "find / -xdev ( -path /proc -o -path /sys ) -prune -o -print"
    _, names = backend.inside(home, *find.split())
    package = [name for name in names.splitlines() if "/deskgym/" in name]
    assert any(name.endswith("/tools/worker.py") for name in package)
    for word in ("/tasks", "/scoring", "/agents", "/demo", "annotation"):
        assert [name for name in package if word in name] == []


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("ls /sys/class/net", "lo\n"),
        ("awk 'NR > 2 { print $1 }' /proc/net/dev", "lo:\n"),
        ("cat /proc/net/route /proc/net/ipv6_route | grep -vc '^Iface\\|lo$' || true", "0\n"),
        ("touch /x /etc/x /usr/x /opt/x /desk/x 2>&1 | grep -c 'Read-only file system'", "5\n"),
        ("grep CapEff /proc/self/status", "CapEff:\t0000000000000000\n"),
        ("grep CapPrm /proc/self/status", "CapPrm:\t0000000000000000\n"),
        ("grep CapBnd /proc/self/status", "CapBnd:\t00000000000000e0\n"),  # SETUID, SETGID, KILL
        ("id -u; id -g; id -G", "1000\n1000\n1000\n"),
        ("grep NoNewPrivs /proc/self/status", "NoNewPrivs:\t1\n"),
        ("grep Seccomp: /proc/self/status", "Seccomp:\t2\n"),
        ("find / -xdev -perm /6000 2>/dev/null | wc -l", "0\n"),
        ("cat /opt/deskgym/lib/deskgym/tools/worker.py 2>&1 | grep -c denied", "1\n"),
        ("find / -xdev -writable ! -type l 2>/dev/null | sort", "/scratch\n/tmp\n"),
        ("ls -A /home /root /mnt /media /srv 2>&1 | grep -v : | sed '/^$/d'; true", ""),
    ],
)
def test_what_the_agent_sees(home: Sandbox, question: str, answer: str) -> None:
    assert shown(home, question) == answer


def test_the_agent_cannot_touch_the_runner(home: Sandbox) -> None:
    command = (
        "for p in $(pgrep -u 0); do kill -0 $p; kill -9 $p; head -c1 /proc/$p/mem; "
        "cat /proc/$p/environ; ls /proc/$p/fd; done; kill -INT 1; kill -PIPE 1"
    )
    response = run(home, command)
    lines = response.payload.decode().splitlines()
    assert len(lines) >= 7
    denied = ("Operation not permitted", "Permission denied")
    assert [line for line in lines if not line.endswith(denied)] == []
