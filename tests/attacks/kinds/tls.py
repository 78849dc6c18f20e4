"""TLS: a relay breaks handshakes and records, or splits them, between the engine and the counting server.

No answer of a broken record may count as right, and records of any length are the same answers.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import time
from itertools import product
from pathlib import Path

from ..ground import Ground, NotHereError
from ..oracle import Verdict
from ..tls_relay import ACTS, HARMLESS, TlsRelay

SHARE = 30
WHEN = ("before the verification", "under load", "under load for a moment", "under load, a connection per request")
VARIANTS = tuple(f"{act} {when}" for act, when in product(ACTS, WHEN))
MOST_LATER_SECONDS = 1.0
BREAK_SECONDS = 0.5
CONFIGURATION = """\
[req]
distinguished_name = name
x509_extensions = extensions
prompt = no
[name]
CN = attack
[extensions]
basicConstraints = critical, CA:FALSE
subjectAltName = IP:127.0.0.1
"""
TLS = '[tls]\nca = "certificate.pem"\n'


def attack(variant: str, draw: random.Random, ground: Ground) -> Verdict:
    """Load the counting server over TLS through the relay, and break what it sends."""
    when = max((when for when in WHEN if variant.endswith(when)), key=len)
    act = variant.removesuffix(f" {when}")
    with ground.serving() as port, TlsRelay(port, *certificate(ground)) as relay:
        _write_service(ground, relay.port)
        ground.protect()
        if when == WHEN[0]:
            relay.act(act)
        more = ["--new-connection"] if "per request" in when else []
        lab = ground.start(*ground.load_words("./requests", *more, seconds="2s"))
        if when != WHEN[0] and lab.await_step("loading"):
            time.sleep(draw.uniform(0, MOST_LATER_SECONDS))
            relay.act(act)
            if "moment" in when:
                time.sleep(BREAK_SECONDS)
                relay.act("")
        ended = lab.end()
    wrong = ground.wrong(ended)
    if act in HARMLESS and ended.code != 0:
        wrong.append(f"only {act}, and it failed: {ended.last_line}")
    return ground.load_verdict(ended, wrong)


def _write_service(ground: Ground, port: int) -> None:
    """Let the service `./requests` be behind the relay."""
    file = ground.user / "requests" / "service.toml"
    plain = f'target = "http://127.0.0.1:{ground.port}"'
    text = file.read_text()
    assert plain in text, f"the service has no {plain}"
    file.write_text(text.replace(plain, f'target = "https://127.0.0.1:{port}"') + TLS)
    shutil.copy(ground.folder / "certificate.pem", file.parent)


def certificate(ground: Ground) -> tuple[Path, Path]:
    """A certificate of 127.0.0.1 and its key. Raises NotHereError."""
    if shutil.which("openssl") is None:
        raise NotHereError("no openssl makes certificates")
    made, key = ground.folder / "certificate.pem", ground.folder / "key.pem"
    (ground.folder / "openssl.cnf").write_text(CONFIGURATION)
    words = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "9"]
    files = ["-config", str(ground.folder / "openssl.cnf"), "-keyout", str(key), "-out", str(made)]
    subprocess.run(["openssl", "req", "-x509", *words, *files], check=True, capture_output=True)
    return made, key
