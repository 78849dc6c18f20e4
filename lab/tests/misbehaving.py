"""A small server in a process of its own that answers late, never, by another status or by a reset, and counts what it did."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

_PROGRAM = """\
import asyncio, json, random, sys, time
plan = json.loads(sys.argv[1])
counts = {"requests": 0, "answered": 0, "hung": 0, "reset": 0, "closed": 0, "statuses": {}}
draw, begun, in_flight = random.Random(plan["seed"]), None, 0

def fate():
    if counts["requests"] <= plan["spared"]:
        return "200"
    if plan["silent_after"] is not None and time.monotonic() - begun > plan["silent_after"]:
        return "hang"
    if plan["most_in_flight"] is not None and in_flight > plan["most_in_flight"]:
        return "hang"
    drawn = draw.random()
    for name, share in plan["fates"].items():
        if drawn < share:
            return name
        drawn -= share
    return "200"

async def serve(reader, writer):
    global begun, in_flight
    try:
        while True:
            await reader.readuntil(b"\\r\\n\\r\\n")
            begun = begun or time.monotonic()
            counts["requests"] += 1
            in_flight += 1
            try:
                said = fate()
                if said == "hang":
                    counts["hung"] += 1
                    in_flight -= 1
                    await asyncio.sleep(3600)
                await asyncio.sleep(plan["delay"])
                if said == "reset":
                    counts["reset"] += 1
                    writer.transport.abort()
                    return
                if said == "close":
                    counts["closed"] += 1
                    return
                counts["answered"] += 1
                counts["statuses"][said] = counts["statuses"].get(said, 0) + 1
                head = f"HTTP/1.1 {said} Said\\r\\nX-Why: test\\r\\nSet-Cookie: secret=1\\r\\nContent-Length: 2\\r\\n\\r\\n"
                writer.write(head.encode() + b"ok")
                await writer.drain()
            finally:
                in_flight -= 1
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()

async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=1000)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    print(json.dumps(counts), flush=True)

loop = asyncio.new_event_loop()
task = loop.create_task(main())
loop.run_until_complete(task)
import os
os._exit(0)
"""


@dataclass
class Misbehaving:
    """The address of the server while it runs, and what it `counted` once it has ended: requests, answers by status, and those that
    it left unanswered, reset or closed."""

    address: str
    counted: dict[str, object]


@contextmanager
def misbehaving(
    fates: dict[str, float] | None = None,
    *,
    delay: float = 0.0,
    silent_after: float | None = None,
    most_in_flight: int | None = None,
    spared: int = 1,
    seed: int = 1,
) -> Iterator[Misbehaving]:
    """A server whose requests meet these `fates` by their share: a status, `hang`, `reset` or `close`; all others are answered 200
    after `delay` s, as are the first `spared` requests, such as a
    verification. From `silent_after` s after the first request on, and above `most_in_flight` at once, it never answers."""
    plan = {
        "fates": fates or {},
        "delay": delay,
        "silent_after": silent_after,
        "most_in_flight": most_in_flight,
        "spared": spared,
        "seed": seed,
    }
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, json.dumps(plan)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        running = Misbehaving(f"http://127.0.0.1:{int(process.stdout.readline())}/", {})
        yield running
        process.stdin.close()
        running.counted = json.loads(process.stdout.readline())
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
