"""The pages and their data: the list of runs, runs side by side, trends, a running run, and stored files."""

from __future__ import annotations

import functools
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote

import anyio
from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from ...analyse.analysis import analyse_run
from ...base import raw_archive
from ...base.asgi import Asgi
from ...base.csvfiles import names_in
from ...base.errors import SteelyardError, StoreError
from ...base.text import upper_first
from ...models.live import RunningNow
from ...results.live_file import ask_to_stop, running_now
from ...results.stored_run import read_run
from .. import beside_page
from ..beside import compare_runs
from ..page import html_of
from ..script import policy
from ..sections.notes import NOTES
from ..templates import templates
from . import trends
from .guard import REPORT_POLICY, STORED, Guard, key_of
from .shelf import Listed, Shelf, WantedRuns, content, stamp
from .starting import Starter

_EVERY_SECONDS = 1.0
_MOST_BESIDE = 8
_MOST_BODY = 10_000
_KINDS = {
    ".html": "text/html",
    ".png": "image/png",
    ".pdf": "application/pdf",
    **dict.fromkeys((".csv", ".json", ".toml", ".md", ".log", ".hlog", ".txt", ".xml", ".answer"), "text/plain"),
}


def app_of(shelf: Shelf, token: str, port: int, starter: Starter | None = None) -> Asgi:
    """The application. `token` starts each address, `port` is its port; runs can be started from it only with a `starter`."""
    pages = _Pages(shelf, token, starter)
    routes = [
        Route("/{token}/", pages.runs),
        Route("/{token}/beside", pages.side_by_side),
        Route("/{token}/trends", pages.trends),
        Route("/{token}/start", pages.start, methods=["POST"]),
        Route("/{token}/look/{file}", pages.asset),
        Route("/{token}/{name}/live", pages.live),
        Route("/{token}/{name}/figures", pages.figures),
        Route("/{token}/{name}/now", pages.events),
        Route("/{token}/{name}/stop", pages.stop, methods=["POST"]),
        Route(f"/{STORED}/{{key}}/{{name}}/{{path:path}}", pages.run_file),
    ]
    handlers: Mapping[Any, Callable[..., Any]] = {HTTPException: pages.request_error, SteelyardError: pages.lab_error}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), token, port)


class _Pages:
    """The handler of each address."""

    def __init__(self, shelf: Shelf, token: str, starter: Starter | None) -> None:
        self._shelf = shelf
        self._token = token
        self._starter = starter
        self._templates = templates("report/serve")
        own = files("steelyard")
        style = (own / "report" / "style.css").read_text("utf-8") + (own / "report" / "serve" / "serve.css").read_text(
            "utf-8"
        )
        self._look = {
            "style.css": (style, "text/css"),
            "live.js": ((own / "report" / "serve" / "live.js").read_text("utf-8"), "text/javascript"),
        }

    async def runs(self, request: Request) -> Response:
        """The list, with search and filters."""
        parameters = {
            name: request.query_params.get(name, "")[:200].strip() for name in WantedRuns.__dataclass_fields__
        }
        wanted = WantedRuns(**parameters)
        runs = await run_sync(self._shelf.runs)
        return self._page(
            "list.html",
            runs=[run for run in runs if wanted.fits(run)],
            count=len(runs),
            wanted=parameters,
            choices={
                "study": sorted({run.study for run in runs if run.study}),
                "machine": sorted({run.machine for run in runs if run.machine}),
                "word": sorted({word for run in runs for word in run.words}),
            },
            studies=self._starter.studies() if self._starter else None,
            started=self._starter.last_run_text() if self._starter else "",
        )

    async def side_by_side(self, request: Request) -> Response:
        """Runs side by side, as `steelyard report RUN RUN` draws them."""
        names = list(dict.fromkeys(request.query_params.getlist("run")))
        if not 2 <= len(names) <= _MOST_BESIDE:
            raise HTTPException(400, f"choose from 2 to {_MOST_BESIDE} runs")
        folders = [(await self._run(name)).folder for name in names]
        page = await run_sync(lambda: beside_page.html_of(compare_runs(folders)))
        return HTMLResponse(page, headers={"content-security-policy": f"{policy()}; frame-ancestors 'none'"})

    async def trends(self, request: Request) -> Response:
        """The questions that several runs answered, and the answers to one of them."""
        questions = trends.questions(await run_sync(self._shelf.runs))
        key = request.query_params.get("question", "")
        chosen = next((question for question in questions if question.key == key), next(iter(questions), None))
        answers = questions[chosen] if chosen else []
        return self._page(
            "trends.html",
            questions=questions,
            chosen=chosen,
            answers=answers,
            chart=trends.chart_of(answers, of_ratios=bool(chosen.b)) if chosen else None,
            changes=trends.changes_of(answers),
            size=(trends.WIDTH, trends.HEIGHT),
            answer_text=trends.answer_text if chosen is None or chosen.b else trends.figure_text,
            most_beside=_MOST_BESIDE,
        )

    async def live(self, request: Request) -> Response:
        """A running run; its report after its end."""
        run = await self._run(request.path_params["name"])
        if not run.running:
            return RedirectResponse(self._report(run), 303)
        return self._page("live.html", run=run)

    async def figures(self, request: Request) -> Response:
        """The figures of a load, or of another run without a study."""
        run = await self._run(request.path_params["name"])
        if run.outcome is None:
            raise HTTPException(404, f"{run.name} has no figures of its own")
        return self._page("figures.html", run=run, outcome=run.outcome, stored=self._stored_text(run, run.outcome.file))

    async def events(self, request: Request) -> Response:
        """The status of a run, once a second as a server-sent event, until its end."""
        run = await self._run(request.path_params["name"])
        return StreamingResponse(live_events(run.folder), media_type="text/event-stream")

    async def stop(self, request: Request) -> Response:
        """Ask a run to stop with a report on its results so far."""
        run = await self._run(request.path_params["name"])
        if not await run_sync(ask_to_stop, run.folder):
            raise HTTPException(409, f"{run.name} is not running")
        return RedirectResponse(f"/{self._token}/{quote(run.name)}/live", 303)

    async def start(self, request: Request) -> Response:
        """Start a run, if `steelyard serve --allow-run` allows it."""
        if self._starter is None:
            raise HTTPException(403, "this page may not start runs: `steelyard serve --allow-run` allows it")
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > _MOST_BODY:
                raise HTTPException(413, "the request is too large")
        form = {name: values[0] for name, values in parse_qs(body.decode("utf-8", errors="replace")).items()}
        self._starter.start(form.get("study", ""), form.get("budget", "").strip())
        return RedirectResponse(f"/{self._token}/", 303)

    async def asset(self, request: Request) -> Response:
        """The style and the script of the pages."""
        if request.path_params["file"] not in self._look:
            raise HTTPException(404, "there is no such file")
        text, kind = self._look[request.path_params["file"]]
        return Response(text, media_type=kind)

    async def run_file(self, request: Request) -> Response:
        """A file of a run, from its own folder and nowhere else, in an origin of its own."""
        run = await self._run(request.path_params["name"])
        content, kind = await run_sync(stored_file, run.folder, request.path_params["path"])
        return Response(content, media_type=kind, headers={"content-security-policy": REPORT_POLICY})

    async def request_error(self, _: Request, error: HTTPException) -> Response:
        """The page for a wrong request."""
        return self._page("message.html", error.status_code, message=upper_first(error.detail), hint="")

    async def lab_error(self, _: Request, error: SteelyardError) -> Response:
        """The page for an error."""
        return self._page("message.html", 422, message=upper_first(error.message), hint=error.hint)

    async def _run(self, name: str) -> Listed:
        run = await run_sync(self._shelf.run, name)
        if run is None:
            raise HTTPException(404, "there is no such run in this folder")
        return run

    def _report(self, run: Listed) -> str:
        """The address of a run's result: its report, or its own figures."""
        if run.schedule is None:
            return f"/{self._token}/{quote(run.name)}/figures"
        return self._stored_text(run, "report.html")

    def _stored_text(self, run: Listed, file: str) -> str:
        return f"/{STORED}/{key_of(self._token, run.name)}/{quote(run.name)}/{file}"

    def _page(self, template: str, status: int = 200, **values: object) -> Response:
        page = self._templates.get_template(template).render(
            at=f"/{self._token}", folder=self._shelf.folder, report_of=self._report, quoted=quote, **values
        )
        return HTMLResponse(page, status)


async def live_events(folder: Path, every_seconds: float = _EVERY_SECONDS) -> AsyncIterator[str]:
    """The state of the run in `folder` as server-sent events whenever it changes, then `ended`."""
    before = ""
    while (now := await run_sync(running_now, folder)) is not None:
        _leave_processors(now)
        text = now.model_dump_json()
        if text != before:
            yield f"data: {text}\n\n"
        before = text
        await anyio.sleep(every_seconds)
    yield "event: ended\ndata: {}\n\n"


def _leave_processors(now: RunningNow) -> None:
    """Move all our threads off the processors of the measured servers, if there are others."""
    own = Path("/proc/self/task")
    for thread in own.iterdir() if own.is_dir() else ():
        with suppress(OSError):
            allowed = os.sched_getaffinity(int(thread.name))
            if (others := allowed - set(now.server_cpus)) and others != allowed:
                os.sched_setaffinity(int(thread.name), others)


def stored_file(run: Path, path: str) -> tuple[bytes, str]:
    """The content of a file in a run's folder, unpacked if packed, and its media type; for a folder, its names.

    The page of a kept run is made on request. Raises StoreError for a path that leaves the folder, for anything but a regular
    file, and for kinds of files that runs do not have.
    """
    root = run.resolve()
    try:
        place = (root / path).resolve()
        inside = place == root or root in place.parents
        names = names_in(place) if inside else []
    except (OSError, ValueError):
        inside = False
    if not inside:
        raise StoreError("there is no such file in the run's folder")
    if names or place.is_dir():
        return "\n".join(names).encode(), "text/plain"
    kind = _KINDS.get(place.suffix)
    if kind is None or (kind == "text/html" and place != root / "report.html"):
        raise StoreError("files of this kind are not shown")
    archive = stamp(root / raw_archive.NAME)
    if kind == "text/html" and archive is not None and stamp(place) is None:
        return _page_of(root, (archive, stamp(root / NOTES))), kind
    return content(place), kind


@functools.lru_cache(maxsize=4)
def _page_of(kept: Path, _: object) -> bytes:
    """A kept run's page, made again if its files changed; raises StoreError and MeasureError."""
    return html_of(analyse_run(read_run(kept))).encode()
