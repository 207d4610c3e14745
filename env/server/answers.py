"""How errors become HTTP answers: one body, a status for each code."""

from __future__ import annotations

import logging
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from deskgym.env.actions import printable
from deskgym.env.server.metrics import Metrics
from deskgym.env.server.models import Error, ErrorCode, ServerError
from deskgym.env.server.words import explain_all

log = logging.getLogger("deskgym.server")
STATUS = {
    ErrorCode.INVALID_JSON: 400,
    ErrorCode.UNKNOWN_TYPE: 400,
    ErrorCode.VALIDATION_ERROR: 422,
    ErrorCode.UNAUTHORISED: 401,
    ErrorCode.FORBIDDEN: 403,
    ErrorCode.NOT_FOUND: 404,
    ErrorCode.TOO_SLOW: 408,
    ErrorCode.TOO_LARGE: 413,
    ErrorCode.CAPACITY_REACHED: 503,
    ErrorCode.DRAINING: 503,
    ErrorCode.FACTORY_ERROR: 503,
    ErrorCode.SESSION_ERROR: 503,
    ErrorCode.EXECUTION_ERROR: 503,
}
_BY_STATUS = {404: ErrorCode.NOT_FOUND, 405: ErrorCode.UNKNOWN_TYPE}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """What the OpenAPI document says of a route's errors; all may need a token, or be too large."""
    return {status: {"model": Error} for status in (401, 403, 408, 413, *statuses)}


def add_handlers(app: FastAPI, metrics: Metrics) -> None:
    """Answer every error with `Error`."""

    def answer(status: int, error: Error) -> Response:
        metrics.errors.labels(error.code).inc()
        headers = {"retry-after": "5"} if status == 503 else None
        body = printable(error.model_dump_json())
        return Response(body, status, headers, media_type="application/json")

    @app.exception_handler(ServerError)
    async def server_error(request: Request, error: ServerError) -> Response:
        return answer(STATUS[error.code], error.told())

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        json_bad = any(item["type"] == "json_invalid" for item in error.errors())
        code = ErrorCode.INVALID_JSON if json_bad else ErrorCode.VALIDATION_ERROR
        return answer(STATUS[code], Error(message=explain_all(error.errors()), code=code))

    @app.exception_handler(HTTPException)
    async def http_error(request: Request, error: HTTPException) -> Response:
        code = _BY_STATUS.get(error.status_code, ErrorCode.VALIDATION_ERROR)
        return answer(error.status_code, Error(message=str(error.detail), code=code))

    @app.exception_handler(Exception)
    async def fault(request: Request, error: Exception) -> Response:
        log.error("a request could not be answered", exc_info=error)
        message = "internal error; the server's log says more"
        return answer(500, Error(message=message, code=ErrorCode.EXECUTION_ERROR))
