"""The hosts that a user declares as their own, and what runs on which (contracts/hosts.schema.json): no other is ever asked."""

from __future__ import annotations

from ipaddress import IPv4Address
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from .strict import Strict

_NAME = r"^[a-z][a-z0-9-]{0,30}$"


class Host(Strict):
    """One host: `reach` is how commands are run on it, `role` what runs there.

    `here` is this machine. A `namespace` is a host of its own as far as its network goes, on this machine's processors and disks;
    it is made for the run and gone with it, and one link leads to it. `rate_mbit` and `delay_ms` are what that link carries
    each way, and by how much it delays a packet each way; where no rate is said the link has what the kernel gives it. `cpus` are
    the processors that what runs there may use; none said: its usual share of the machine's.
    """

    reach: Literal["here", "namespace"]
    address: IPv4Address
    role: Literal["engine", "server"]
    cpus: list[Annotated[int, Field(ge=0)]] = []
    rate_mbit: Annotated[float, Field(ge=0.1, le=100_000)] | None = None
    delay_ms: Annotated[float, Field(ge=0.01, le=10_000)] | None = None

    @field_validator("address")
    @classmethod
    def _nobody_elses(cls, address: IPv4Address) -> IPv4Address:
        if not address.is_private or address.is_loopback or address.is_unspecified or address.is_link_local:
            raise ValueError(f"{address} is not of a private range, as 10.203.0.1 is")
        return address

    @model_validator(mode="after")
    def _shaped_on_the_far_side(self) -> Host:
        if self.reach == "here" and (self.rate_mbit is not None or self.delay_ms is not None):
            raise ValueError("the link is that of the host which is reached: say rate_mbit and delay_ms there")
        return self


class Hosts(Strict):
    """A hosts file: each host by its name. The engine drives from this machine; all processes of each subject, its companions too,
    run on the host whose role is `server`."""

    hosts: dict[Annotated[str, Field(pattern=_NAME)], Host]

    @model_validator(mode="after")
    def _one_of_each(self) -> Hosts:
        for role, reach in (("engine", "here"), ("server", "namespace")):
            names = [name for name, host in self.hosts.items() if host.role == role]
            if len(names) != 1:
                raise ValueError(f"one host must have the role '{role}', and {len(names)} have it")
            if self.hosts[names[0]].reach != reach:
                raise ValueError(f"host '{names[0]}' has the role '{role}', so its reach must be '{reach}'")
        engine, server = self.engine[1], self.server[1]
        if engine.address == server.address:
            raise ValueError(f"both hosts have the address {server.address}")
        if set(engine.cpus) & set(server.cpus):
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
