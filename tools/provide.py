"""Fetches and builds the servers of the end-to-end tests beforehand: `python tools/provide.py`."""

from __future__ import annotations

import sys

from rich.console import Console
from steelyard.base.errors import ToolchainError
from steelyard.base.progress import Progress
from steelyard.catalogue import entries
from steelyard.hosts import subject
from steelyard.models.study import PartSpec, SubjectSpec

OLDER = {"version": "11.0.18", "stack_version": "4.0.4"}
WANTED = {
    "wstest": [
        ("null", {}),
        ("go", {}),
        ("tomcat-metro", {}),
        ("tomcat-metro", OLDER),
        ("node-soap", {}),
        ("gsoap", {}),
        ("php-fpm", {}),
        ("aspnet-mono", {}),
        ("dotnet", {}),
        ("dotnet-mono", {}),
        ("python-spyne", {}),
    ],
    "soaservers": [("tomcat-metro", {}), ("tomcat-cxf", {}), ("tomcat-springws", {}), ("aspnet-mono", {})],
    "flight": [("tomcat-metro", {}), ("tomcat-cxf", {"database": "postgres"})],
    "soakit": [("go", {}), ("tomcat-metro", {}), ("gsoap", {}), ("php-fpm", {}), ("python-spyne", {})],
    "petstore": [("tomcat-springws", {})],
    "shop-api": [
        ("go", {}),
        ("spring-boot", {}),
        ("quarkus", {}),
        ("micronaut", {}),
        ("helidon", {}),
        ("php-fpm", {}),
        ("python-fastapi", {}),
        ("rust-axum", {}),
        ("vertx", {}),
        ("node-fastify", {}),
        ("tomcat-jersey", {}),
        ("jetty-jersey", {}),
        ("wildfly", {}),
    ],
}
JOURNALS = [PartSpec(server="h2"), PartSpec(server="postgres", role="journal")]
COMPANIONS = {"tomcat-metro": JOURNALS, "tomcat-springws": [PartSpec(server="h2"), PartSpec(server="greenmail")]}
COMPANIONS_OF_SERVICES = {"shop-api": [PartSpec(server="postgres")]}


def main() -> None:
    """Provide them all; servers without a toolchain here are reported, and their tests are skipped."""
    with Progress(Console(quiet=True)) as progress:
        for service, servers in WANTED.items():
            for name, factors in servers:
                spec = SubjectSpec(
                    label=name,
                    parts=[PartSpec(server=name, factors=dict(factors))],
                    companions=COMPANIONS_OF_SERVICES.get(service, COMPANIONS.get(name, [])),
                )
                try:
                    subject.provide_subject(spec, entries.service(service), progress)
                except ToolchainError as error:
                    print(f"{name}: {error}", file=sys.stderr)


if __name__ == "__main__":
    main()
