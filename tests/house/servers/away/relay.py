"""Hands connections on to another port while a file `open` is in a folder, else ends them at once: relay.py HOST PORT TO FOLDER."""

import contextlib
import socket
import socketserver
import sys
import threading
from pathlib import Path

HOST, PORT, TO, FOLDER = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
PIECE = 65536


def is_open():
    return (FOLDER / "open").exists()


def handed_on(source, sink):
    with contextlib.suppress(OSError):
        while is_open() and (piece := source.recv(PIECE)):
            sink.sendall(piece)
    for end in (source, sink):
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


class Relay(socketserver.BaseRequestHandler):
    def handle(self):
        if not is_open():
            return
        with socket.create_connection((HOST, TO)) as other:
            back = threading.Thread(target=handed_on, args=(other, self.request), daemon=True)
            back.start()
            handed_on(self.request, other)
            back.join()


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


Server((HOST, PORT), Relay).serve_forever()
