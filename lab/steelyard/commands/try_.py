"""`steelyard try`: starts one server with one service for inspection by hand, until Ctrl-C."""

from __future__ import annotations

import random
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urljoin

import typer

from ..base.errors import NoAnswerError, ProvisionError, SteelyardError
from ..base.lock import machine_lock
from ..base.progress import Progress
from ..base.terminal import console
from ..models.outputs.trying import TriedPage, TriedProcess, TriedRequest, TryOutput
from . import completing
from .examples import examples
from .options import Json, takes

if TYPE_CHECKING:  # modules that start servers are imported by the command itself: no other should wait for them
    from ..catalogue.tried import Tried
    from ..hosts.running import RunningSubject
    from ..workload import curl

commands = typer.Typer()

_PATIENCE = 4.0  # nothing is measured, so slow machines get more time
_LOOK_SECONDS = 0.5  # between two checks that all processes run
_WSDL_NAMESPACE = b"http://schemas.xmlsoap.org/wsdl/"
_WSDL_SECONDS = 20.0


@dataclass(frozen=True, kw_only=True)
class TryOptions:
    """The arguments and options of `try`."""

    subject: Annotated[
        str,
        typer.Argument(
            metavar="SERVER|STUDY",
            help="A server, or a study's subject with its companions; both take settings: NAME@FACTOR=VALUE.",
            autocompletion=completing.servers_and_studies,
        ),
    ]
    service: Annotated[
        str | None,
        typer.Argument(
            metavar="[SERVICE]",
            help="The service that the server runs (default: the demonstration's, or the study's).",
            autocompletion=completing.services,
        ),
    ] = None
    variant: Annotated[
        str | None, typer.Option(help="Value of the service's factor `variant`: the same as @variant=VALUE.")
    ] = None
    for_: Annotated[str | None, typer.Option("--for", help="Stop this long after it is ready: 30s, 10m.")] = None
    json: Json = False


@commands.command(
    name="try",
    short_help="Start one server to inspect it by hand.",
    epilog=examples(
        "steelyard try tomcat-metro",
        "steelyard try tomcat-metro@heap=512m soaservers",
        "steelyard try petstore",
        "steelyard try petstore --variant web-service",
        "steelyard try go wstest --for 30s --json",
    ),
)
@takes(TryOptions)
def try_command(options: TryOptions) -> None:
    """Fetch, build and start one server with one service on this machine's loopback, print its address and requests, and run
    until Ctrl-C.

    Nothing is measured. All processes are stopped at the end.
    """
    from ..catalogue.subject_syntax import seconds_of
    from ..catalogue.tried import parse_subject_words
    from ..hosts import cpus, launch, subject
    from ..workload import curl

    seconds = None if options.for_ is None else seconds_of(options.for_)
    chosen = f"@variant={options.variant}" if options.variant is not None else ""
    wanted = parse_subject_words(options.subject + chosen, options.service)
    with ExitStack() as stack:
        # Locked only while starting: that would disturb a measurement, and `steelyard load` may measure the running server.
        with machine_lock("steelyard try"), Progress(console()) as progress:
            ready = subject.provide_subject(wanted.spec, wanted.service, progress)
            service = ready.in_own_format(subject.service_as_run(wanted.service, [ready]))
            folder = stack.enter_context(_folder())
            draw = random.Random(time.time_ns())
            up = launch.running_subject(ready, folder, cpus.share(), draw, progress, patience=_PATIENCE)
            running = stack.enter_context(up)
        server = ready.front.server.model
        requests = curl.commands(service, running.url, folder, access=running.access, deviations=server.deviations)
        with suppress(KeyboardInterrupt):  # the usual end
            _print_outcome(_output(wanted, running, requests, folder), as_json=options.json)
            _keep_running(running, seconds)


@contextmanager
def _folder() -> Iterator[Path]:
    """A folder for logs and bodies, removed at the end; kept after a failure, since the message names a log in it."""
    folder = Path(tempfile.mkdtemp(prefix="steelyard-try-"))
    try:
        yield folder
    except SteelyardError:
        raise
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    shutil.rmtree(folder, ignore_errors=True)


def _keep_running(running: RunningSubject, seconds: float | None) -> None:
    """Wait for `seconds`, or forever with None; raises ProvisionError where a process ends, and KeeperError where its keeper
    does."""
    end = None if seconds is None else time.monotonic() + seconds
    while end is None or time.monotonic() < end:
        death = running.death()
        if death is not None:
            raise ProvisionError(death, hint=f"its log is in {running.front.log.parent}")
        running.use()  # only a live keeper answers
        left = _LOOK_SECONDS if end is None else min(_LOOK_SECONDS, max(0.0, end - time.monotonic()))
        running.front.keeper.wait(left)


def _output(wanted: Tried, running: RunningSubject, requests: list[curl.CurlRequest], folder: Path) -> TryOutput:
    service = wanted.service.model
    return TryOutput(
        service=service.name,
        title=service.title,
        address=running.url,
        wsdl=_wsdl(wanted, running),
        pages=[TriedPage(address=urljoin(running.url, page.path), meaning=page.meaning) for page in service.pages],
        requests=[
            TriedRequest(
                operation=each.operation,
                meaning=service.operations[each.operation].meaning,
                curl=each.command,
                body=each.body,
            )
            for each in requests
        ],
        processes=[
            TriedProcess(
                role=part.part.place,
                server=part.part.server.name,
                title=part.part.server.model.title,
                version=part.part.server.model.version,
                port=part.port,
                log=str(part.log),
            )
            for part in (running.front, *(part for part in running.parts if part is not running.front))
        ],
        factors=running.subject.front.factors,
        folder=str(folder),
    )


def _wsdl(wanted: Tried, running: RunningSubject) -> str | None:
    """The URL of the server's own WSDL, else the path of the contract's file; None where the service has no WSDL."""
    from ..base.http_client import HttpClient, trusted_context

    service = wanted.service
    if service.model.wsdl is None and service.model.description is None:
        return None
    address = running.url + (service.model.description or "?wsdl")
    conversation = HttpClient(address, _WSDL_SECONDS, context=trusted_context(running.access.authority))
    try:
        answer = conversation.get(running.subject.headers)
        if answer.status == HTTPStatus.OK and _WSDL_NAMESPACE in answer.body:
            return address
    except NoAnswerError:
        pass  # a server without a WSDL need not answer
    finally:
        conversation.close()
    return str(service.folder / service.model.wsdl) if service.model.wsdl is not None else None


def _print_outcome(output: TryOutput, *, as_json: bool) -> None:
    if as_json:
        print(output.model_dump_json(), flush=True)
        return
    front, *beside = output.processes
    lines = [f"{output.title} on {front.title} {front.version}: {output.address}"]
    lines += [f"  with {process.title} {process.version} ({process.role}) on port {process.port}" for process in beside]
    lines += [f"  WSDL: {output.wsdl}"] if output.wsdl is not None else []
    lines += [f"  {page.address}  {page.meaning}" for page in output.pages]
    for request in output.requests:
        lines.append(f"{request.operation}: {request.meaning}")
        lines.append(f"  {request.curl or 'a later step of a session: the requests above begin it'}")
    for line in lines:
        console(stderr=False).print(line, soft_wrap=True)
    console().print(
        f"It runs; logs and bodies are in {output.folder}. Ctrl-C ends it.",
        soft_wrap=True,
    )
