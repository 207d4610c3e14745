"""What is closed at the end of a ``with`` block, whatever became of the block."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self


class Closing(ABC):
    """A context manager that is its own value and closes itself."""

    @abstractmethod
    def close(self) -> None:
        """Give back what is held. A second call does nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
