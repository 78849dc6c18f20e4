"""`steelyard calibrate`: measures which differences this machine can detect."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..base.errors import ConfigurationError
from ..base.progress import Progress
from ..base.terminal import console
from .examples import examples
from .options import (
    BudgetTime,
    Json,
    OperationName,
    Out,
    OwnRequest,
    Seed,
    ServiceName,
    command_line,
    takes,
)

if TYPE_CHECKING:
    from ..calibration.calibrating import Wish

commands = typer.Typer()


@dataclass(frozen=True, kw_only=True)
class CalibrateOptions:
    """The options of `calibrate`."""

    server: Annotated[
        str | None,
        typer.Option(
            help="The server to measure against itself (default: that of the study `calibration`); or your own folder, "
            "command line or jar."
        ),
    ] = None
    service: ServiceName = None
    operation: OperationName = None
    request: OwnRequest = None
    budget: BudgetTime = "15m"
    pairs: Annotated[
        int | None,
        typer.Option(
            min=3, max=1000, help="Rounds per fork, each with every planted slow-down (default: the study's)."
        ),
    ] = None
    slice_seconds: Annotated[
        float | None, typer.Option(min=0.2, max=60, help="Measured seconds of a slice (default: the study's).")
    ] = None
    seed: Seed = 1
    out: Out = None
    json: Json = False


@commands.command(
    short_help="Measure which differences this machine can detect.",
    epilog=examples(
        "steelyard calibrate",
        "steelyard calibrate --server go --operation echoList --budget 30m",
        "steelyard calibrate --server ./shop",
    ),
)
@takes(CalibrateOptions)
def calibrate(options: CalibrateOptions) -> None:
    """Measure which differences this machine can detect: a server against itself, and against itself slowed down by 2, 5 and 20%.

    A server of your own is measured against itself alone.

    The result is kept for this machine, and reports of later runs cite it. Ctrl-C keeps the completed forks.
    """
    from ..calibration.calibrating import calibrate
    from . import printing

    wish = _wish(options)
    with Progress(console()) as progress:
        calibration = calibrate(wish, progress)
    if options.json:
        print(calibration.model_dump_json())
    else:
        printing.show_calibration(calibration, console(stderr=False))
    if calibration.stopped:
        raise KeyboardInterrupt


def _wish(options: CalibrateOptions) -> Wish:
    """The calibration that the options ask for; raises ConfigurationError."""
    from ..calibration.calibrating import OwnWish, Wish
    from ..catalogue import own_subjects, subject_syntax
    from ..catalogue.usual import resolve_operation, resolve_service
    from .compare_own import requests_of

    words, own = options.server, None
    if words is not None and own_subjects.is_own(words):
        [spec] = own_subjects.specs_of([words])
        requests = requests_of([words], options.service, options.request, None)
        mix = requests.mix(options.operation, writes=False)
        own = OwnWish(spec.parts[0].server, own_subjects.server_of(words), requests, mix)
        service, operation = requests.service.name, "+".join(mix)
    elif options.request:
        raise ConfigurationError("--request is for a server of your own", hint="--server ./shop, or leave it out")
    else:
        service = resolve_service(options.service)
        operation = resolve_operation(service, options.operation)
    return Wish(
        server=words,
        service=service,
        operation=operation,
        budget_seconds=subject_syntax.seconds_of(options.budget),
        pairs=options.pairs,
        slice_seconds=options.slice_seconds,
        seed=options.seed,
        out=(options.out or Path("runs")).resolve(),
        command=command_line(),
        own=own,
    )
