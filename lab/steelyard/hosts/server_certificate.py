"""The certificates of TLS servers: one per address, made once and kept in the user's cache."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from ..base import certificate
from .kept_keys import keys_folder

_DAYS = 3650


def folder(address: str) -> Path:
    """The folder with `certificate.pem`, which is its own authority, and `key.pem` for servers on this address; raises
    ProvisionError or ToolchainError where it cannot be made."""
    return keys_folder(
        f"tls-{address}", partial(certificate.make, name="steelyard-server", addresses=[address], days=_DAYS)
    )


def authority(address: str) -> Path:
    """The certificate that verifies servers on this address; raises as `folder` does."""
    return folder(address) / "certificate.pem"
