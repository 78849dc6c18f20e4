"""The hosts that a user declares as their own, and what runs on which (contracts/hosts.schema.json): no other is ever asked."""

from __future__ import annotations

from ipaddress import IPv4Address
from typing import Annotated, Literal

from pydantic import Field, model_validator

from .strict import Strict

_NAME = r"^[a-z][a-z0-9-]{0,30}$"


class Host(Strict):
    """One host: `reach` is how commands are run on it, `role` what runs there.

    `here` is this machine. One that is reached by `ssh` is another, asked by the user's own configuration as `login` (an alias or
    user@name; without it the host's name): who declares it says that it is theirs to load (`owned`), and whom others may ask
    (`contact`); `rate_mbit` is then what the link is known to carry. A `namespace` is a host of its own as far as its network
    goes, on this machine's processors and disks; it is made for the run and gone with it, and one link leads to it. `rate_mbit`
    and `delay_ms` are what that link carries each way, and by how much it delays a packet each way; where no rate is said the
    link has what the kernel gives it. `cpus` are the processors that what runs there may use; none said: its usual share of the
    machine's.
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
            raise ValueError("the link is that of the host which is reached: say rate_mbit and delay_ms there")
        if self.reach == "ssh" and self.delay_ms is not None:
            raise ValueError("the delay of a link to a host that is reached by ssh is its own: leave delay_ms out")
        return self

    @model_validator(mode="after")
    def _require_owner(self) -> Host:
        if self.reach != "ssh":
            if self.login or self.owned or self.contact:
                raise ValueError("login, owned and contact are of a host that is reached by ssh")
            return self
        if not self.owned or not self.contact.strip():
            raise ValueError(
                "a host that is reached by ssh must be declared as yours to load: owned = true, and a contact whom others may ask"
            )
        if self.login.startswith("-"):
            raise ValueError(f"login '{self.login}' begins with a hyphen, as an option does")
        return self


class Hosts(Strict):
    """A hosts file: each host by its name. The engine drives from this machine; all processes of each subject, its companions too,
    run on the host whose role is `server`."""

    hosts: dict[Annotated[str, Field(pattern=_NAME)], Host]

    @model_validator(mode="after")
    def _one_of_each(self) -> Hosts:
        for role, ways in (("engine", ("here",)), ("server", ("namespace", "ssh"))):
            names = [name for name, host in self.hosts.items() if host.role == role]
            if len(names) != 1:
                raise ValueError(f"one host must have the role '{role}', and {len(names)} have it")
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
        """The host that the engine drives from, with its name."""
        return next((name, host) for name, host in self.hosts.items() if host.role == "engine")

    @property
    def server(self) -> tuple[str, Host]:
        """The host that the subjects run on, with its name."""
        return next((name, host) for name, host in self.hosts.items() if host.role == "server")


class EngineHosts(Strict):
    """The hosts file of a load that several engines share: one engine drives from this machine (`here`), one from each of the
    others, all of the role `engine`. The target is none of them: it is what its own file or URL says."""

    hosts: dict[Annotated[str, Field(pattern=_NAME)], Host]

    @model_validator(mode="after")
    def _require_one_local(self) -> EngineHosts:
        for name, host in self.hosts.items():
            if host.role != "engine":
                raise ValueError(
                    f"host '{name}' has the role '{host.role}': a load's target is what its service.toml says"
                )
            if host.reach == "namespace":
                raise ValueError(
                    f"host '{name}' is a namespace of this machine, on whose processors --engines drives, too"
                )
            _require_address(host.address, private=False)
        here = [name for name, host in self.hosts.items() if host.reach == "here"]
        if len(here) != 1:
            raise ValueError(f"one engine drives from this machine, and {len(here)} hosts are reached as 'here'")
        if len(self.hosts) == 1:
            raise ValueError("there is no further host: an engine alone needs no hosts file")
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
    """Raises ValueError where no host can have this address; of what this machine makes itself it is a private one."""
    of_no_link = address.is_loopback or address.is_unspecified or address.is_link_local or address.is_multicast
    if private and (of_no_link or not address.is_private):
        raise ValueError(f"{address} is not of a private range, as 10.203.0.1 is")
    if of_no_link:
        raise ValueError(f"{address} is no address that a host has on a link")
