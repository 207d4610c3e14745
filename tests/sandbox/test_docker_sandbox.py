"""What is Docker's own of a desk: the container's configuration, and how the engine can fail."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from docker import DockerClient

from deskgym.env.sandbox import images, sweep
from deskgym.env.sandbox.base import (
    DeskDied,
    EngineUnavailable,
    ExecRequest,
    ImageMissing,
    SandboxError,
)
from deskgym.env.sandbox.docker import DockerSandbox
from deskgym.env.sandbox.limits import MIB, DeskLimits
from deskgym.tasks.registry import load_dataset

pytestmark = pytest.mark.docker


def shown(desk: DockerSandbox, command: str) -> str:
    response = desk.request(ExecRequest(command=command))
    assert response.exit_status == 0, response.payload
    return response.payload.decode()


def inspect(client: DockerClient, desk: DockerSandbox) -> dict[str, Any]:
    assert desk.container_id is not None
    return dict(client.api.inspect_container(desk.container_id))


def folder(path: Path) -> Path:
    path.mkdir(parents=True)
    path.chmod(0o755)
    (path / "a.txt").write_text("alpha\n")
    return path


@pytest.fixture(scope="module")
def inspected(docker_client: DockerClient, desk_image: str) -> Iterator[dict[str, Any]]:
    """What the engine says about a running desk of adam's."""
    adam = load_dataset("demo").profile("adam")
    with DockerSandbox(adam.root, client=docker_client, run_id="conformance") as desk:
        yield inspect(docker_client, desk)


@pytest.mark.parametrize(
    ("holds", "what"),
    [
        (lambda host: host["NetworkMode"] == "none", "network"),
        (lambda host: host["ReadonlyRootfs"], "root file system"),
        (lambda host: host["CapDrop"] == ["ALL"], "capabilities dropped"),
        (lambda host: {c.removeprefix("CAP_") for c in host["CapAdd"]}
         == {"SETUID", "SETGID", "KILL"}, "capabilities added"),
        (lambda host: host["SecurityOpt"] == ["no-new-privileges"], "privileges, seccomp"),
        (lambda host: not host["Privileged"], "privileged"),
        (lambda host: host["PidMode"] == "", "processes"),
        (lambda host: host["IpcMode"] == "private", "shared memory"),
        (lambda host: not host["UsernsMode"], "users"),
        (lambda host: not host["Binds"] and not host["Devices"], "binds and devices"),
        (lambda host: not host["PortBindings"] and not host["PublishAllPorts"], "ports"),
        (lambda host: host["AutoRemove"], "removal"),
        (lambda host: host["RestartPolicy"]["Name"] in ("", "no"), "restart"),
        (lambda host: host["LogConfig"]["Type"] == "none", "log"),
        (lambda host: host["Memory"] == host["MemorySwap"] == 1024 * MIB, "memory"),
        (lambda host: host["PidsLimit"] == 256, "number of processes"),
        (lambda host: host["CpuQuota"] / host["CpuPeriod"] == 2.0, "processors"),
        (lambda host: all("nosuid,nodev" in o for o in host["Tmpfs"].values()), "scratch"),
    ],
)  # fmt: skip
def test_the_container_is_sealed(
    inspected: dict[str, Any], holds: Callable[[dict[str, Any]], bool], what: str
) -> None:
    assert holds(inspected["HostConfig"]), what


def test_only_the_profile_is_mounted_and_read_only(inspected: dict[str, Any]) -> None:
    mounts = {(m["Destination"], m["RW"]) for m in inspected["Mounts"]}
    assert {destination for destination, _ in mounts} == {"/desk"}
    assert set(inspected["NetworkSettings"]["Networks"]) <= {"none"}
    assert inspected["Config"]["Volumes"] in (None, {})


def test_the_labels_say_whose_it_is(inspected: dict[str, Any]) -> None:
    labels = inspected["Config"]["Labels"]
    assert labels[sweep.RUN] == "conformance"
    assert sweep.owner_labels().items() <= labels.items()


def test_the_engine_is_told_no_gold(inspected: dict[str, Any]) -> None:
    told = json.dumps(inspected, ensure_ascii=False)
    for task in load_dataset("demo").tasks("adam"):
        secrets = {task.id, task.question, *(e.text for e in task.evidence)}
        if len(task.answer) > 8:
            secrets.add(task.answer)
        assert [secret for secret in secrets if secret in told] == []


def test_limits_are_passed_on(docker_client: DockerClient, tmp_path: Path) -> None:
    limits = DeskLimits(memory=128 * MIB, pids=40, cpus=0.5, scratch=2 * MIB, tmp=MIB, shm=MIB)
    with DockerSandbox(folder(tmp_path / "p"), limits=limits, client=docker_client) as desk:
        host = inspect(docker_client, desk)["HostConfig"]
        assert (host["Memory"], host["PidsLimit"]) == (128 * MIB, 40)
        assert host["CpuQuota"] / host["CpuPeriod"] == 0.5
        sizes = shown(desk, "df --output=size -B1 /scratch /tmp /dev/shm | tail -n +2")
        assert [int(size) for size in sizes.split()] == [2 * MIB, MIB, MIB]


@pytest.mark.parametrize("mount", ["overlay", "bind"])
@pytest.mark.parametrize("name", ["plain", "with space", "col:on", "back\\slash", "na\u00efve"])
def test_a_profile_may_lie_anywhere(
    docker_client: DockerClient, tmp_path: Path, mount: Any, name: str
) -> None:
    root = folder(tmp_path / name)
    limits = DeskLimits(profile_mount=mount)
    with DockerSandbox(root, limits=limits, client=docker_client) as desk:
        assert shown(desk, "cat /desk/a.txt; ls /desk; touch /desk/x 2>&1 | grep -o Read.*") == (
            "alpha\na.txt\nRead-only file system\n"
        )
        assert desk.request(ExecRequest(command="cat a.txt")).opened == ("a.txt",)
    assert [p.name for p in root.iterdir()] == ["a.txt"]


def test_a_path_with_a_comma_is_refused_with_a_remedy(
    docker_client: DockerClient, tmp_path: Path
) -> None:
    root = folder(tmp_path / "one,two")
    desk = DockerSandbox(root, client=docker_client)
    with pytest.raises(SandboxError, match=r"comma.*one,two.*profile_mount='bind'"):
        desk.start()
    with DockerSandbox(
        root, limits=DeskLimits(profile_mount="bind"), client=docker_client
    ) as bound:
        assert shown(bound, "cat a.txt") == "alpha\n"


def test_a_profile_that_is_not_there_is_refused_and_leaves_nothing(
    docker_client: DockerClient, tmp_path: Path
) -> None:
    desk = DockerSandbox(tmp_path / "nowhere", client=docker_client, run_id="nowhere")
    with pytest.raises(SandboxError, match="refused to start"):
        desk.start()
    label = f"{sweep.RUN}=nowhere"
    assert docker_client.containers.list(all=True, filters={"label": label}) == []


def test_a_missing_image_names_the_command_that_builds_it(
    docker_client: DockerClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(images.Recipe, "repository", "deskgym/never-built")
    desk = DockerSandbox(folder(tmp_path / "p"), client=docker_client)
    with pytest.raises(ImageMissing, match="deskgym image build"):
        desk.start()
    desk.close()


def test_no_engine_says_what_was_tried_and_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"unix://{tmp_path}/no.sock"
    monkeypatch.setenv("DOCKER_HOST", address)
    desk = DockerSandbox(folder(tmp_path / "p"))
    with pytest.raises(EngineUnavailable) as told:
        desk.start()
    assert address in str(told.value)
    assert "no such socket" in str(told.value)
    assert "deskgym setup" in str(told.value) or "start" in str(told.value)
    desk.close()


def test_a_desk_may_find_its_engine_by_itself(tmp_path: Path, desk_image: str) -> None:
    with DockerSandbox(folder(tmp_path / "p")) as desk:
        assert shown(desk, "cat a.txt") == "alpha\n"


def test_a_container_that_was_removed_by_others_is_dead(
    docker_client: DockerClient, tmp_path: Path
) -> None:
    with DockerSandbox(folder(tmp_path / "p"), client=docker_client) as desk:
        docker_client.containers.get(inspect(docker_client, desk)["Id"]).remove(force=True)
        with pytest.raises(DeskDied):
            shown(desk, "true")


def test_no_volume_is_left(docker_client: DockerClient, tmp_path: Path) -> None:
    def ours() -> list[str]:
        label = f"{sweep.OWNER_PID}={sweep.owner_labels()[sweep.OWNER_PID]}"
        return sorted(v.name or "" for v in docker_client.volumes.list(filters={"label": label}))

    before = ours()
    with DockerSandbox(folder(tmp_path / "p"), client=docker_client):
        assert len(ours()) == len(before) + 1
    assert ours() == before
