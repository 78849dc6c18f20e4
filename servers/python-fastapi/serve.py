"""The service's application on Granian or on uvicorn: serve.py SERVER PORT, with as many workers as STEELYARD_WORKERS says."""

import os
import sys

APPLICATION = "shop.application:app"
IDLE_SECONDS = 15 * 60


def serve_on_granian(host: str, port: int, workers: int) -> None:
    from granian import Granian
    from granian.constants import HTTPModes, Interfaces, Loops
    from granian.http import HTTP1Settings
    from granian.log import LogLevels

    Granian(
        APPLICATION,
        address=host,
        port=port,
        interface=Interfaces.ASGI,
        http=HTTPModes.http1,
        websockets=False,
        loop=Loops.uvloop,
        workers=workers,
        http1_settings=HTTP1Settings(header_read_timeout=1000 * IDLE_SECONDS),
        log_level=LogLevels.warning,
    ).serve()


def serve_on_uvicorn(host: str, port: int, workers: int) -> None:
    import uvicorn

    uvicorn.run(
        APPLICATION,
        host=host,
        port=port,
        workers=workers,
        loop="uvloop",
        http="httptools",
        ws="none",
        access_log=False,
        log_level="warning",
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=IDLE_SECONDS,
    )


SERVERS = {"granian": serve_on_granian, "uvicorn": serve_on_uvicorn}

if __name__ == "__main__":
    server, port = sys.argv[1:]
    pool, workers = int(os.environ.get("STEELYARD_POOL") or 16), int(os.environ["STEELYARD_WORKERS"])
    if workers > pool:
        sys.exit(
            f"the factor pool is {pool}, but each of {workers} workers needs a connection; lower the factor workers"
        )
    SERVERS[server](os.environ.get("STEELYARD_HOST") or "127.0.0.1", int(port), workers)
