"""Whatever is sent to a route of the OpenAPI document, the server does not fail."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fake_desk import FakeDataset, FakeDesk
from server_kit import Served, in_thread

from deskgym.env.server.config import ServerConfig

schemathesis = pytest.importorskip(
    "schemathesis", reason="schemathesis is missing: pip install 'deskgym[dev]'"
)
from hypothesis import HealthCheck, Phase, given, settings  # noqa: E402

EXAMPLES = 25
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    config = ServerConfig(max_sessions=4)
    with in_thread(config, dataset=FakeDataset(), make_desk=FakeDesk) as server:
        yield server


def document(served: Served) -> dict[str, Any]:
    told: dict[str, Any] = served.ask("GET", "/openapi.json").json()
    return told


def test_the_document_names_all_routes(served: Served) -> None:
    paths = set(document(served)["paths"])
    assert paths >= {"/health", "/metadata", "/schema", "/state", "/reset", "/step", "/mcp"}
    assert paths >= {"/metrics", "/list_environments", "/{env_name}/task_range"}


@pytest.mark.parametrize("mode", ["positive", "negative"])
@pytest.mark.parametrize("named", [False, True], ids=["any environment", "ours"])
def test_no_request_makes_it_fail(served: Served, named: bool, mode: str) -> None:
    schema = schemathesis.openapi.from_dict(document(served))
    known = schemathesis.checks.CHECKS
    checks = [known.get_one(name) for name in CHECKS]
    seen = 0
    for result in schema.get_all_operations():
        operation = result.ok()
        seen += 1
        if mode == "negative" and not (operation.body and operation.path != "/mcp"):
            continue  # its document takes whatever there is

        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            derandomize=True,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(generation_mode=schemathesis.GenerationMode(mode)))
        def try_it(case: Any) -> None:
            if named and "env_name" in case.path_parameters:
                case.path_parameters["env_name"] = "deskgym"
            answer = case.call(base_url=served.url)
            case.validate_response(answer, checks=checks)

        try_it()
    assert seen >= 15
    assert served.sessions() == 0
