"""Many rude clients at once, for some seconds; `soak.py` does it for as long as one likes."""

from __future__ import annotations

import pytest
import soak
from docker import DockerClient


@pytest.mark.docker
def test_many_rude_clients_leave_no_desk_and_see_only_their_own(
    desk_image: str, docker_client: DockerClient
) -> None:
    tally = soak.run(16, seconds=15, seed=1, client=docker_client)
    assert tally.counts["polite"] > 0
    assert sum(tally.counts[habit] for habit in soak.HABITS if habit != "polite") > 0
