"""Checks whether a target may be loaded, and at which rate: this machine, or hosts that the user declared as owned."""

from __future__ import annotations

import socket
from ipaddress import ip_address
from urllib.parse import urlsplit

from ..base.errors import TargetError
from ..base.paths import HOST, HOST_NAMES
from ..models.job import Http2, Redirects, Target
from .load_target import LoadTarget, label_of


def addresses_of(address: str) -> list[str]:
    """The IP addresses of a target's host; raises TargetError if it cannot be resolved."""
    parts = urlsplit(address)
    try:
        resolved = socket.getaddrinfo(parts.hostname, parts.port or 80, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise TargetError(f"the host of {address} cannot be resolved", hint="check the spelling of its name") from None
    return list(dict.fromkeys(str(socket_address[0]) for *_, socket_address in resolved))


def addresses_of_target(load_target: LoadTarget) -> list[str]:
    """The IP addresses of a target: those that the user gave, else those of its host. Raises TargetError."""
    return [*load_target.given_addresses] or addresses_of(load_target.address)


def is_this_machine(addresses: list[str]) -> bool:
    """Whether all addresses are loopback addresses."""
    return bool(addresses) and all(ip_address(address.partition("%")[0]).is_loopback for address in addresses)


def target_of(load_target: LoadTarget, streams: int | None = None, *, follow_redirects: bool = False) -> Target:
    """The target for the engine's job, with HTTP/2 if `streams` is set; raises TargetError if it may not be loaded.

    The name of a target on this machine is resolved once, here. Load goes only to these addresses.
    """
    if streams is None and load_target.meaning == "grpc":
        streams = Http2().streams
    addresses = addresses_of_target(load_target)
    here = is_this_machine(addresses)
    if not here:
        _require_declared(load_target)
    # Files in the job are relative to its own folder.
    tls = load_target.tls.model_copy(
        update={
            key: str((load_target.folder / value).resolve())
            for key in ("ca", "certificate", "key")
            if (value := getattr(load_target.tls, key))
        }
    )
    return Target(
        subject=label_of(load_target.name),
        url=f"{load_target.address}/",
        addresses=[ip_address(address) for address in addresses] if here or load_target.given_addresses else [],
        tls=tls,
        http2=None if streams is None else Http2(streams=streams),
        redirects=_redirects(load_target, addresses if here else []) if follow_redirects else None,
    )


def _redirects(load_target: LoadTarget, loopback: list[str]) -> Redirects:
    """The other hosts to which redirects may lead: this machine under its other names, where the target has `loopback` addresses,
    and what its service file declares."""
    hosts = {**dict.fromkeys(HOST_NAMES, loopback), HOST: [HOST], "::1": ["::1"]} if loopback else {}
    for host in load_target.redirect_hosts:
        addresses = [*load_target.resolved.get(host, ())] or addresses_of(
            f"http://[{host}]" if ":" in host else f"http://{host}"
        )
        if not is_this_machine(addresses):
            _require_declared(load_target)
        hosts[host] = addresses
    return Redirects.model_validate({"hosts": hosts})


def loopback_of(address: str) -> list[str]:
    """The addresses of a target on this machine; raises TargetError if any is on another."""
    addresses = addresses_of(address)
    if not is_this_machine(addresses):
        raise TargetError(f"{address} is not this machine", hint="give an address of this machine")
    return addresses


def _require_declared(load_target: LoadTarget) -> None:
    if not load_target.declared:
        raise TargetError(
            f"{load_target.address} is not this machine",
            hint="import it or write a service.toml with owned = true, a contact and a max_rate, and load that",
        )
    lacking = [
        word
        for word, given in (
            ("owned = true", load_target.owned),
            ("contact", load_target.contact),
            ("max_rate", load_target.max_rate),
        )
        if not given
    ]
    if lacking:
        raise TargetError(
            f"{load_target.address} is not this machine, and its service file lacks {', '.join(lacking)}",
            hint="add them: that you may load it, a contact, and the highest number of requests per second",
        )
