"""The keys for message security on this machine: a client's, a server's and an unknown party's, made once and kept in the user's
cache."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path

from ..base.errors import ProvisionError, ToolchainError
from . import kept_keys

try:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import rsa
    from cryptography.hazmat.primitives.serialization import pkcs12
    from cryptography.x509.oid import NameOID
except ImportError:
    raise ToolchainError(
        "the library for message security is not installed here", hint="install Steelyard with it: steelyard[security]"
    ) from None


BITS = 2048
_DAYS = 3650
_PASSWORD = b"steelyard"  # password of stores whose files only their owner may read
_OWNERS = ("client", "server", "stranger")


@dataclass(frozen=True)
class KeyOwner:
    """An RSA key with a self-signed certificate."""

    key: rsa.RSAPrivateKey
    certificate: x509.Certificate

    @property
    def public_key(self) -> rsa.RSAPublicKey:
        """The public half of the key."""
        return self.key.public_key()


@dataclass(frozen=True)
class SecurityKeys:
    """The keys of the client, of the server, and of a party that neither knows."""

    client: KeyOwner
    server: KeyOwner
    stranger: KeyOwner


def folder() -> Path:
    """The folder with this machine's key stores, created where missing; raises ProvisionError.

    `server.p12` holds the server's key and certificate, `trust.p12` the client's certificate alone, which a server needs;
    `client.p12` and `stranger.p12` are for clients. Only the user may read them.
    """
    return kept_keys.keys_folder(f"rsa-{BITS}", _make)


def machine_keys() -> SecurityKeys:
    """This machine's keys; raises ProvisionError where they cannot be made or read."""
    return _read(folder())


@lru_cache(maxsize=4)
def _read(place: Path) -> SecurityKeys:
    return SecurityKeys(*(_owner(place / f"{name}.p12") for name in _OWNERS))


def _owner(store: Path) -> KeyOwner:
    try:
        key, certificate, _ = pkcs12.load_key_and_certificates(store.read_bytes(), _PASSWORD)
    except (OSError, ValueError) as error:
        raise ProvisionError(
            f"{store} cannot be read: {error}", hint=f"remove {store.parent}: new keys are made at the next start"
        ) from None
    if not isinstance(key, rsa.RSAPrivateKey) or certificate is None:
        raise ProvisionError(f"{store} contains no RSA key with its certificate", hint=f"remove {store.parent}")
    return KeyOwner(key, certificate)


def _make(place: Path) -> None:
    owners = {name: new_owner(f"steelyard-{name}") for name in _OWNERS}
    closed = serialization.BestAvailableEncryption(_PASSWORD)
    for name, owner in owners.items():
        store = pkcs12.serialize_key_and_certificates(name.encode(), owner.key, owner.certificate, None, closed)
        _write(place / f"{name}.p12", store)
    trusted = pkcs12.PKCS12Certificate(owners["client"].certificate, b"client")
    _write(place / "trust.p12", pkcs12.serialize_java_truststore([trusted], closed))


def _write(path: Path, content: bytes) -> None:
    path.touch(mode=0o600)
    path.write_bytes(content)


def new_owner(name: str) -> KeyOwner:
    """A new key, with a certificate in that name."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=BITS)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=_DAYS))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    return KeyOwner(key, certificate)
