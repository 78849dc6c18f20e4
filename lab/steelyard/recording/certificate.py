"""A certificate for this machine, made for one recording and gone with it, so that a client can ask over TLS."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..base import children
from ..base.errors import ToolchainError
from ..base.house import HOST

_SECONDS = 60.0
_DAYS = "7"
# A configuration of its own: what stands in a machine's own one differs from system to system.
_CONFIGURATION = f"""\
[req]
distinguished_name = name
x509_extensions = extensions
prompt = no
[name]
CN = steelyard record
[extensions]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
subjectAltName = DNS:localhost, IP:{HOST}, IP:::1
"""


@contextmanager
def certificate_for_this_machine() -> Iterator[tuple[Path, Path]]:
    """The files of a certificate that signs itself, for localhost and its addresses, and of its key, readable by their user alone;
    both are removed at the end. Raises ToolchainError where openssl is not there, or cannot make it."""
    with tempfile.TemporaryDirectory(prefix="steelyard-record-") as folder:
        made, key, configuration = (Path(folder) / name for name in ("certificate.pem", "key.pem", "openssl.cnf"))
        configuration.write_text(_CONFIGURATION, encoding="utf-8")
        kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-sha256", "-days", _DAYS]
        files = ["-config", str(configuration), "-keyout", str(key), "-out", str(made)]
        try:
            done = children.run(["openssl", "req", "-x509", *kind, *files], seconds=_SECONDS)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ToolchainError(
                f"openssl, which makes the certificate of --tls, cannot be run: {error}",
                hint="install openssl, or leave out --tls: what is recorded is the same",
            ) from None
        if done.returncode != 0 or not made.is_file():
            said = (done.stderr or "").strip().splitlines()[-1:] or ["it said nothing"]
            raise ToolchainError(
                f"openssl could not make a certificate: {said[0][:200]}",
                hint="version 1.1.1 or later does; or leave out --tls: what is recorded is the same",
            )
        key.chmod(0o600)
        yield made, key
