"""What the agents say to a model: plain files, ``<agent>.txt`` or ``<agent>_<role>.txt``.

``$name`` stands for a value, as in `string.Template`; a dollar sign itself is written ``$$``.
"""

from __future__ import annotations

import re
from importlib.resources import files
from string import Template

_NAME = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)*")


class PromptError(ValueError):
    """No prompt of that name, or the values given are not those that it has places for."""


def prompt(name: str) -> str:
    """The text of the prompt called ``name`` as it stands in its file, without outer blanks.

    Raises:
        PromptError: there is none.
    """
    file = files(__package__) / f"{name}.txt"
    if not _NAME.fullmatch(name) or not file.is_file():
        raise PromptError(f"no prompt {name!r} in agents/prompts")
    return file.read_text(encoding="utf-8").strip()


def fill(name: str, **values: object) -> str:
    """The prompt called ``name`` with ``values`` in their places.

    What stands in a value is never taken for a place itself, so a file's text may hold anything.

    Raises:
        PromptError: there is no such prompt, or values and places do not match one to one.
    """
    template = Template(prompt(name))
    if not template.is_valid():
        raise PromptError(f"prompt {name!r}: a dollar sign that names no value is written $$")
    places = set(template.get_identifiers())
    if places != set(values):
        missing, needless = sorted(places - set(values)), sorted(set(values) - places)
        raise PromptError(f"prompt {name!r}: values missing {missing}, without a place {needless}")
    return template.substitute({key: str(value) for key, value in values.items()})
