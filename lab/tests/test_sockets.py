"""The connections of a process: those of this test process, over real sockets."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

from steelyard.hosts import sockets

ANOTHER = "import socket; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1], flush=True); input()"


def test_a_connection_to_itself_is_told_from_one_to_another_and_counted_at_the_end_that_opened_it() -> None:
    before = sockets.calls([os.getpid()])
    with (
        socket.create_server(("127.0.0.1", 0)) as own,
        subprocess.Popen([sys.executable, "-c", ANOTHER], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as another,
    ):
        assert another.stdout is not None and another.stdin is not None
        port = int(another.stdout.readline())
        with (
            socket.create_connection(own.getsockname()),
            own.accept()[0],
            socket.create_connection(("127.0.0.1", port)),
        ):
            during = sockets.calls([os.getpid()])
        another.stdin.write(b"\n")
        another.stdin.close()
    assert (during.to_themselves - before.to_themselves, during.elsewhere - before.elsewhere) == (1, 1)
