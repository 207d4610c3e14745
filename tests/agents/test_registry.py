from __future__ import annotations

from pathlib import Path

import pytest

from deskgym.agents.oracle import OracleAgent
from deskgym.agents.registry import (
    BadAgent,
    UnknownAgent,
    build_agent,
    check_agent_name,
    make_agent,
)


@pytest.mark.parametrize("name", ["null", "bm25", "canary"])
def test_built_in_agents_are_made_by_name(name: str) -> None:
    assert build_agent(name, {}).name == name


def test_the_oracle_is_made_from_gold_in_this_process() -> None:
    assert isinstance(make_agent("oracle", tasks=[]), OracleAgent)
    with pytest.raises(BadAgent):
        build_agent("oracle", {})


def test_an_unknown_name_gets_near_matches_and_what_there_is() -> None:
    with pytest.raises(UnknownAgent) as caught:
        make_agent("orcale")
    assert str(caught.value).startswith("no agent 'orcale': did you mean oracle?")
    assert "oracle, null, bm25, canary" in str(caught.value)
    assert isinstance(caught.value, KeyError)


@pytest.mark.parametrize("name", ["", ":", "module:", ":Class", "a.b.C"])
def test_what_is_no_import_path_is_refused_before_anything_runs(name: str) -> None:
    with pytest.raises(UnknownAgent):
        check_agent_name(name)


def test_a_module_that_misses_another_is_not_taken_for_a_typo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "mine_needs_more.py").write_text("import not_installed_anywhere\n")
    with pytest.raises(ModuleNotFoundError, match="not_installed_anywhere"):
        build_agent("mine_needs_more:Agent", {})


def test_config_goes_to_the_constructor() -> None:
    with pytest.raises(TypeError, match="no_such_setting"):
        build_agent("bm25", {"no_such_setting": 1})
