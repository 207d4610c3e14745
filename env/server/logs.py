"""A server's log: one JSON object a line, without tokens, questions or gold."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TextIO

HIDDEN = "***"
_SHOWN = ("session", "kind", "cause", "method", "path", "status", "seconds", "caller", "code")


class JsonLines(logging.Formatter):
    """Writes records as JSON. What equals one of ``secrets`` is hidden wherever it stands."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        super().__init__()
        self._secrets = tuple(secrets)

    def format(self, record: logging.LogRecord) -> str:
        """The record on one line."""
        fields = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        fields |= {name: value for name in _SHOWN if (value := getattr(record, name, None))}
        if record.exc_info:
            fields["error"] = self.formatException(record.exc_info)
        line = json.dumps(fields, default=str)  # escapes what is not ASCII, line breaks too
        for secret in self._secrets:
            line = line.replace(secret, HIDDEN)
        return line


def log_as_json(secrets: Iterable[str], stream: TextIO | None = None, level: str = "INFO") -> None:
    """Send what this process logs to ``stream`` (standard error) as JSON lines."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines(secrets))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("deskgym").setLevel(level)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logger = logging.getLogger(name)
        logger.handlers[:], logger.propagate = [], True
        # At INFO it writes down whole addresses, with the token that a query may hold.
        logger.setLevel(logging.WARNING)
