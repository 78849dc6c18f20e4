"""A self-signed certificate for addresses of this machine, with its key. OpenSSL makes both."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from . import children
from .errors import ToolchainError

_SECONDS = 60.0
# Our own configuration, because the system's default differs between distributions.
_CONFIGURATION = """\
[req]
distinguished_name = name
x509_extensions = extensions
prompt = no
[name]
CN = {name}
[extensions]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
subjectAltName = {names}
"""


def make(folder: Path, name: str, addresses: Sequence[str], days: int) -> tuple[Path, Path]:
    """Create a certificate for localhost and `addresses`, and return the paths of certificate and key.

    The key is ECDSA on P-256, in PEM, readable by its owner only. Raises ToolchainError where openssl is missing or
    fails.
    """
    made, key = folder / "certificate.pem", folder / "key.pem"
    names = ", ".join(["DNS:localhost", *(f"IP:{address}" for address in addresses)])
    with tempfile.NamedTemporaryFile("w", suffix=".cnf", encoding="utf-8") as configuration:
        configuration.write(_CONFIGURATION.format(name=name, names=names))
        configuration.flush()
        kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-sha256", "-days", str(days)]
        files = ["-config", configuration.name, "-keyout", str(key), "-out", str(made)]
        try:
            done = children.run(["openssl", "req", "-x509", *kind, *files], seconds=_SECONDS)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ToolchainError(
                f"cannot run openssl, which makes the certificate for TLS: {error}",
                hint="install openssl, or run without TLS",
            ) from None
    if done.returncode != 0 or not made.is_file():
        lines = (done.stderr or "").strip().splitlines()[-1:] or ["no output"]
        raise ToolchainError(
            f"openssl could not make a certificate: {lines[0][:200]}",
            hint="use OpenSSL 1.1.1 or later, or run without TLS",
        )
    key.chmod(0o600)
    return made, key
