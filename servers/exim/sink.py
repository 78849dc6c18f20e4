"""Runs Exim over a folder of mails, and tells what has come: sink.py HOST SMTP_PORT API_PORT SCRATCH.

A GET of /mails answers a line a mail that was delivered: to whom, a tab, and the subject.
"""

import contextlib
import email
import email.policy
import os
import signal
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

CONFIGURATION = Path(__file__).resolve().with_name("exim.conf")


class Mails:
    """What lies in the folder, each mail read once."""

    def __init__(self, folder):
        self.folder = folder
        self.lines = {}
        self.lock = threading.Lock()

    def text(self):
        with self.lock, contextlib.suppress(FileNotFoundError):  # the folder comes with the first mail
            for path in self.folder.iterdir():
                if path.name not in self.lines:
                    self.lines[path.name] = self.line(path)
        return "".join(self.lines.values())

    @staticmethod
    def line(path):
        with path.open("rb") as file:
            mail = email.message_from_binary_file(file, policy=email.policy.default)
        words = (" ".join(str(mail[name]).split()) for name in ("To", "Subject"))
        return "\t".join(words) + "\n"


def api_of(mails):
    """What answers GET /mails."""

    class Api(BaseHTTPRequestHandler):
        def do_GET(self):
            known = self.path == "/mails"
            text = mails.text().encode() if known else b""
            self.send_response(200 if known else 404)
            self.send_header("Content-Type", "text/plain; charset=utf-8")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format, *arguments):
            pass

    return Api


def main():
    host, smtp_port, api_port, scratch = sys.argv[1], sys.argv[2], int(sys.argv[3]), Path(sys.argv[4])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    macros = {"HOST": host, "PORT": smtp_port, "SCRATCH": scratch, "USER": os.getuid(), "GROUP": os.getgid()}
    with ThreadingHTTPServer((host, api_port), api_of(Mails(scratch / "mails" / "new"))) as api:
        threading.Thread(target=api.serve_forever, daemon=True).start()
        exim = subprocess.Popen(
            ["exim4", "-C", CONFIGURATION, *(f"-D{name}={value}" for name, value in macros.items()), "-bdf"]
        )
        try:
            sys.exit(exim.wait())
        finally:
            exim.terminate()
            exim.wait()
            api.shutdown()


if __name__ == "__main__":
    main()
