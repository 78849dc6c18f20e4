"""The user's declared hosts and their roles (contracts/hosts.schema.json); no other host is ever contacted."""

from __future__ import annotations

from ipaddress import IPv4Address
from typing import Annotated, Literal

from pydantic import Field, model_validator

from .strict import Strict

_NAME = r"^[a-z][a-z0-9-]{0,30}$"


class Host(Strict):
    """One host: `reach` is how commands run on it, `role` is its task.

    `here` is this machine. A host with reach `ssh` is another machine, reached by the user's own configuration as `login` (an
    alias or user@name; default: the host's name). Its declaration confirms that the user may load it (`owned`), and names a
    person whom others may ask (`contact`); its `rate_mbit` is the known bandwidth of the link. A `namespace` is a host with its
    own network on this machine's processors and disks; it is made for the run and removed with it, and one link leads to it. Its
    `rate_mbit` and `delay_ms` are the link's bandwidth and delay in each direction; without a rate the link has the kernel's.
    `cpus` are the processors for processes there; default: their usual share of the machine.
    """

    reach: Literal["here", "namespace", "ssh"]
    address: IPv4Address
    role: Literal["engine", "server"]
    login: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.@:\[\]%-]*$", max_length=300)] = ""
    owned: bool = False
    contact: Annotated[str, Field(max_length=300)] = ""
    cpus: list[Annotated[int, Field(ge=0)]] = []
    rate_mbit: Annotated[float, Field(ge=0.1, le=100_000)] | None = None
    delay_ms: Annotated[float, Field(ge=0.01, le=10_000)] | None = None

    @model_validator(mode="after")
    def _shaped_on_the_far_side(self) -> Host:
        if self.reach == "here" and (self.rate_mbit is not None or self.delay_ms is not None):
            raise ValueError("rate_mbit and delay_ms belong to the remote host")
        if self.reach == "ssh" and self.delay_ms is not None:
            raise ValueError("a link to an ssh host has its own delay: leave delay_ms out")
        return self

    @model_validator(mode="after")
    def _require_owner(self) -> Host:
        if self.reach != "ssh":
            if self.login or self.owned or self.contact:
                raise ValueError("login, owned and contact go with reach = 'ssh'")
            return self
        if not self.owned or not self.contact.strip():
            raise ValueError("an ssh host must be declared as yours to load: set owned = true and a contact")
        if self.login.startswith("-"):
            raise ValueError(f"login '{self.login}' begins with a hyphen, like an option")
        return self


class Hosts(Strict):
    """A hosts file: each host by its name. The engine drives from this machine; all processes of each subject, including its
    companions, run on the host whose role is `server`."""

    hosts: dict[Annotated[str, Field(pattern=_NAME)], Host]

    @model_validator(mode="after")
    def _one_of_each(self) -> Hosts:
        for role, ways in (("engine", ("here",)), ("server", ("namespace", "ssh"))):
            names = [name for name, host in self.hosts.items() if host.role == role]
            if len(names) != 1:
                raise ValueError(f"one host must have the role '{role}', but {len(names)} have it")
            if self.hosts[names[0]].reach not in ways:
                listed = " or ".join(f"'{way}'" for way in ways)
                raise ValueError(f"host '{names[0]}' has the role '{role}', so its reach must be {listed}")
        engine, server = self.engine[1], self.server[1]
        _require_address(engine.address, private=server.reach != "ssh")
        _require_address(server.address, private=server.reach != "ssh")
        if engine.address == server.address:
            raise ValueError(f"both hosts have the address {server.address}")
        if server.reach == "namespace" and set(engine.cpus) & set(server.cpus):
            raise ValueError(f"both hosts have processor {min(set(engine.cpus) & set(server.cpus))}")
        return self

    @property
    def engine(self) -> tuple[str, Host]:
        """The engine's host, with its name."""
        return next((name, host) for name, host in self.hosts.items() if host.role == "engine")

    @property
    def server(self) -> tuple[str, Host]:
        """The subjects' host, with its name."""
        return next((name, host) for name, host in self.hosts.items() if host.role == "server")


class EngineHosts(Strict):
    """The hosts file of a load that several engines share: one engine on this machine (`here`), and one on each other host, all
    with the role `engine`. The target is none of these hosts: its own file or URL names it."""

    hosts: dict[Annotated[str, Field(pattern=_NAME)], Host]

    @model_validator(mode="after")
    def _require_one_local(self) -> EngineHosts:
        for name, host in self.hosts.items():
            if host.role != "engine":
                raise ValueError(
                    f"host '{name}' has the role '{host.role}': the target of a load is in its service.toml"
                )
            if host.reach == "namespace":
                raise ValueError(
                    f"host '{name}' is a namespace of this machine: use --engines for several engines here"
                )
            _require_address(host.address, private=False)
        here = [name for name, host in self.hosts.items() if host.reach == "here"]
        if len(here) != 1:
            raise ValueError(f"one engine drives from this machine, but {len(here)} hosts have reach = 'here'")
        if len(self.hosts) == 1:
            raise ValueError("the file declares one host only: one engine needs no hosts file")
        addresses = [host.address for host in self.hosts.values()]
        twice = next((address for address in addresses if addresses.count(address) > 1), None)
        if twice is not None:
            raise ValueError(f"two hosts have the address {twice}")
        return self

    @property
    def here(self) -> Host:
        """This machine."""
        return next(host for host in self.hosts.values() if host.reach == "here")

    @property
    def others(self) -> dict[str, Host]:
        """The others, by name, in the file's order."""
        return {name: host for name, host in self.hosts.items() if host.reach != "here"}


def _require_address(address: IPv4Address, *, private: bool) -> None:
    """Raise ValueError where a host cannot have this address; addresses that Steelyard assigns must be private."""
    of_no_link = address.is_loopback or address.is_unspecified or address.is_link_local or address.is_multicast
    if private and (of_no_link or not address.is_private):
        raise ValueError(f"{address} is not a private address such as 10.203.0.1")
    if of_no_link:
        raise ValueError(f"{address} cannot be a host's address on a link")
