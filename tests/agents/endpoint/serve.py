"""The server: FastAPI and uvicorn in a thread, on a port of loopback that is free."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import AsyncIterator
from typing import Any, Self

import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse

from endpoint.replies import CUT, MALFORMED_BODY, SLOW, Brain, BrainReply, Fault, completion

_START_S = 10.0


class Endpoint:
    """Serves ``brain`` at ``base_url`` inside a ``with``.

    ``requests`` are the bodies that came, ``headers`` theirs, and ``served`` what each got: None
    for a good reply, else the kind of its fault. A brain that raises is a broken test: the request
    gets a 400, and leaving the ``with`` raises what it raised.
    """

    def __init__(self, brain: Brain) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.served: list[str | None] = []
        self._brain = brain
        self._broken: Exception | None = None
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.base_url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"
        # What goes wrong on the wire does so on purpose: no word of it in the tests' output.
        config = uvicorn.Config(_app(self), log_level="critical", lifespan="off")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True
        )

    @property
    def faults(self) -> list[str]:
        """The kinds of fault that were served, in order."""
        return [kind for kind in self.served if kind is not None]

    def __enter__(self) -> Self:
        self._thread.start()
        limit = time.monotonic() + _START_S
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > limit:
                raise RuntimeError("the scripted endpoint does not start")
            time.sleep(0.005)
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        self._server.should_exit = self._server.force_exit = True
        self._thread.join(_START_S)
        self._socket.close()
        if self._broken is not None and kind is None:
            raise self._broken

    def think(
        self, body: dict[str, Any], headers: dict[str, str]
    ) -> tuple[BrainReply | Fault, int]:
        """The brain's word on a request, and the request's number."""
        number = len(self.requests)
        self.requests.append(body)
        self.headers.append(headers)
        try:
            said = self._brain(body)
        except Exception as error:
            self.served.append("broken")
            self._broken = self._broken or error
            raise
        self.served.append(said.kind)
        return said, number


def _app(endpoint: Endpoint) -> FastAPI:
    app = FastAPI()

    @app.post("/v1/chat/completions")
    async def complete(request: Request) -> Response:
        body = await request.json()
        try:
            said, number = endpoint.think(body, dict(request.headers))
        except Exception as error:  # noqa: BLE001  (raised in the test's own thread at the end)
            return _refused(400, f"the test's brain raised {error!r}")
        if isinstance(said, BrainReply):
            return JSONResponse(completion(said, body, number))
        return await _faulty(said, body, number)

    return app


async def _faulty(fault: Fault, body: dict[str, Any], number: int) -> Response:
    if fault.status is not None:
        after = fault.retry_after if fault.kind in ("429", "503") else None
        headers = {} if after is None else {"retry-after": after}
        return _refused(fault.status, f"no luck: {fault.kind}", headers)
    whole = completion(fault.as_reply(), body, number)
    if fault.kind == SLOW:
        await asyncio.sleep(fault.seconds)
    elif fault.kind == CUT:
        return StreamingResponse(
            _broken_off(json.dumps(whole)),
            media_type="application/json",
            headers={"content-length": "100000"},
        )
    elif fault.kind == MALFORMED_BODY:
        return Response(json.dumps(whole)[:60], media_type="application/json")
    elif fault.kind == "bad_shape":
        return JSONResponse({"choices": {"message": "one and only"}})
    elif fault.kind == "no_choices":
        whole["choices"] = []
    elif fault.kind == "no_usage":
        del whole["usage"]
    return JSONResponse(whole)


async def _broken_off(text: str) -> AsyncIterator[str]:
    """Less than was promised; then the connection ends."""
    yield text[:40]
    await asyncio.sleep(0.01)  # let it go out


def _refused(status: int, message: str, headers: dict[str, str] | None = None) -> Response:
    error = {"error": {"message": message, "type": "scripted", "code": str(status)}}
    return JSONResponse(error, status, headers)
