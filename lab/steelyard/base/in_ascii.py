"""Host names and paths in any script, encoded in ASCII for HTTP."""

from __future__ import annotations

from urllib.parse import quote, urlsplit

import idna

_ASCII = "".join(map(chr, range(0x80)))


def ascii_address(address: str) -> str:
    """A server's address (`scheme://host:port`) with its host name in the form of DNS (IDNA 2008, with the mapping of
    UTS 46).

    Raises ValueError where there is none.
    """
    parts = urlsplit(address)
    host = parts.hostname or ""
    if host.isascii():
        return address
    try:
        name = idna.encode(host, uts46=True).decode()
    except (idna.IDNAError, UnicodeError):
        raise ValueError(f"the host of {address} is not a valid DNS name (IDNA)") from None
    return f"{parts.scheme}://{name}" + (f":{parts.port}" if parts.port else "")


def ascii_path(path: str) -> str:
    """A path with all non-ASCII characters percent-encoded as UTF-8 (RFC 3986, 2.5)."""
    return quote(path, safe=_ASCII)
