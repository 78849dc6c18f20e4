"""Stand-ins of imported services, served while a test asks them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from steelyard.base.loopback_server import listening_on
from steelyard.catalogue import entries
from steelyard.models.job import Think
from steelyard.workload.importing.convert import convert_description
from steelyard.workload.mocking.known import MockedService, mock_service
from steelyard.workload.mocking.stand_in import StandIn

HERE = Path(__file__).parent


def imported(source: str, folder: Path) -> MockedService:
    convert_description(str(HERE / source), folder / "mine", ())
    return mock_service(entries.service_at(str(folder / "mine")), 1)


@contextmanager
def serving(known: MockedService, delay_ms: float = 0.0) -> Iterator[tuple[str, StandIn]]:
    """The stand-in at an address of its own, for as long as the block lasts."""
    delay = Think(kind="constant", ms=delay_ms) if delay_ms else Think()
    app = StandIn(known, delay, 0.0, 1)
    with listening_on(0) as (listening, port):
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off", http="h11"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{port}", app
        finally:
            server.should_exit = True
            thread.join()
