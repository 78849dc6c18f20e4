"""`steelyard servers` and `steelyard servers check`: list servers, and check that they meet the requirements for every server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ..base.errors import ConfigurationError
from ..base.lock import machine_lock
from ..base.progress import Progress
from ..base.terminal import console
from ..catalogue import entries
from ..catalogue.entries import Entry
from ..models.outputs.catalogue import ServerRow, ServersOutput
from ..models.service import Service
from .examples import examples
from .options import Json, ServiceName, require_value

commands = typer.Typer()


class _ServersGroup(TyperGroup):
    """`servers NAME` shows that server: a first word that is not a command of the group is a server's name."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that `args` mean, in typer's form."""
        known = not args or args[0] in self.commands or args[0].startswith("-")
        return super().resolve_command(ctx, args if known else ["show", *args])


servers_commands = typer.Typer(
    cls=_ServersGroup,
    help="List the servers, show one in detail (`servers NAME`), or check some.",
    short_help="List the servers, show one, or check some.",
    invoke_without_command=True,
    rich_markup_mode=None,
)
commands.add_typer(servers_commands, name="servers")


@servers_commands.callback(
    epilog=examples(
        "steelyard servers",
        "steelyard servers tomcat-metro",
        "steelyard servers --json",
        "steelyard servers check tomcat-metro",
    )
)
def servers_list(context: typer.Context, json: Json = False) -> None:
    """List the servers, show one in detail (`servers NAME`), or check some."""
    from ..measure.conformance.rows import row
    from . import listing

    if context.invoked_subcommand is not None:
        return
    rows = [row(entries.server(name)) for name in entries.server_files()]
    if json:
        print(ServersOutput(servers=rows).model_dump_json())
        return
    listing.servers(rows, console(stderr=False))


@servers_commands.command(
    name="show",
    short_help="Show one server: version, factors, deviations, tuning.",
    epilog=examples(
        "steelyard servers tomcat-metro",
        "steelyard servers show go --json",
    ),
)
def servers_show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The server: `steelyard servers` lists them.")],
    json: Json = False,
) -> None:
    """Show one server: its version, factors, deviations from the contract, and the parameters that papers tuned. `servers NAME`
    does the same."""
    from ..catalogue.usual import serves
    from ..measure.conformance.rows import row
    from ..models.outputs.catalogue import ServerDetail
    from . import listing

    entry = entries.server(name)
    services = [service for service in entries.service_files() if serves(entry.model, entries.service(service))]
    detail = ServerDetail(
        server=row(entry), services=services, factors=entry.model.all_factors(), tuning=entry.model.tuning
    )
    if json:
        print(detail.model_dump_json())
    else:
        listing.server(detail, console(stderr=False))


@servers_commands.command(
    name="check",
    short_help="Check servers: contract, connections, sockets, redeployment.",
    epilog=examples(
        "steelyard servers check go",
        "steelyard servers check --all --json",
    ),
)
def servers_check(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Servers to check: SERVER or SERVER@FACTOR=VALUE.")
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Check every server.")] = False,
    service: ServiceName = None,
    quick: Annotated[bool, typer.Option("--quick", help="Skip the pause, the second server and redeployment.")] = False,
    save: Annotated[
        Path | None, typer.Option(help="JSON file to store the results in; entries of other servers stay.")
    ] = None,
    json: Json = False,
) -> None:
    """Fetch, start, deploy, verify every exchange in every spelling, send bad requests, keep a connection over a pause, inspect
    the sockets, run two at once, redeploy, stop."""
    from ..catalogue import subject_syntax
    from ..catalogue.known_subjects import require_known
    from ..catalogue.usual import resolve_served
    from ..measure.conformance import examination, rows
    from . import listing

    if all_ and names:
        raise ConfigurationError("--all checks every server", hint=f"leave out --all, or {' '.join(names)}")
    wanted = sorted(entries.server_files()) if all_ else names or []
    if not wanted:
        raise ConfigurationError("no server was named", hint="`steelyard servers check NAME`, or `--all`")
    require_value("--service", service)
    meant: dict[str, str] = {}
    for name in wanted:
        spec = subject_syntax.subject_of(name)
        server = entries.server(spec.parts[0].server).model
        meant[name] = resolve_served(server, service)
        _require_contract(entries.service(meant[name]))
        if names and server.kind == "server":
            require_known([spec], entries.service(meant[name]))
    if save is not None:
        rows.kept_in(save)  # a file that cannot be written is reported before minutes of checks
    checked: list[ServerRow] = []
    with machine_lock("steelyard servers check"), Progress(console()) as progress:
        for name in wanted:
            checked.append(examination.check(name, meant[name], progress, quick=quick))
            if not json:
                with progress.aside():
                    console(stderr=False).print(listing.check_summary(checked[-1]))
    if save is not None:
        rows.keep(save, checked)
    if json:
        print(ServersOutput(servers=checked).model_dump_json())
    else:
        listing.print_matrix(checked, console(stderr=False))
    if any(row.contract is False for row in checked) or (
        not all_ and any(row.contract is None and row.kind == "server" for row in checked)
    ):
        raise typer.Exit(1)


def _require_contract(service: Entry[Service]) -> None:
    if service.model.is_own:
        raise ConfigurationError(
            f"{service.name} has sample requests and no contract to check",
            hint=f"`steelyard compare A B --service {service.name}` verifies its answers on two servers",
        )
