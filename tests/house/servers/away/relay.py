"""Hands connections on to another port while a file `open` is in a folder, else ends them at once: relay.py HOST PORT TO FOLDER."""

import contextlib
import socket
import socketserver
import sys
import threading
import time
from pathlib import Path

HOST, PORT, TO, FOLDER = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
PIECE = 65536
PAUSE_SECONDS = 0.05

handing_on = set()  # sockets, as long as they may be used
lock = threading.Lock()


def is_open():
    return (FOLDER / "open").exists()


def end(sockets):
    for each in sockets:
        with contextlib.suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)


def hand_on(source, sink):
    with contextlib.suppress(OSError):
        while piece := source.recv(PIECE):
            sink.sendall(piece)
    end((source, sink))


def end_all_once_closed():
    while True:
        time.sleep(PAUSE_SECONDS)
        if not is_open():
            with lock:
                end(handing_on)


class Relay(socketserver.BaseRequestHandler):
    def handle(self):
        if not is_open():
            return
        with socket.create_connection((HOST, TO)) as other:
            both = {self.request, other}
            with lock:
                handing_on.update(both)
            back = threading.Thread(target=hand_on, args=(other, self.request), daemon=True)
            back.start()
            hand_on(self.request, other)
            back.join()
            with lock:
                handing_on.difference_update(both)


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


threading.Thread(target=end_all_once_closed, daemon=True).start()
Server((HOST, PORT), Relay).serve_forever()
