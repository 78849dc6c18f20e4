"""Sharing a report: as Markdown, as a picture and as PDF by an installed browser, and errors without one."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from command import steelyard
from steelyard.analyse.analysis import analyse_run
from steelyard.base.errors import SteelyardError, ToolchainError
from steelyard.report import browser
from steelyard.report.keeping import keep
from steelyard.report.markdown import markdown_of
from steelyard.results.stored_run import read_run
from synthetic import Planted, write_run

STUDY = 'title = "A | B <script> *bold*"\n'
# Draws what is asked for and leaves a helper behind, in a session of its own and with no hold on what the browser prints to.
FORGETFUL = """#!/bin/sh
for word; do case $word in --screenshot=*) echo drawn >"${{word#*=}}" ;; esac; done
setsid sleep 1000 </dev/null >/dev/null 2>&1 &
echo $! >{helper}
{then}
"""


def small(tmp_path: Path, **planted: object) -> Path:
    return write_run(tmp_path / "run", Planted(**({"forks": 2, "pairs": 3} | planted)))  # type: ignore[arg-type]


def test_markdown_says_the_verdict_why_when_and_the_figures_and_a_study_writes_none_of_it(tmp_path: Path) -> None:
    said = markdown_of(analyse_run(read_run(small(tmp_path, forks=4, pairs=10, study=STUDY))))
    assert said.startswith("# A \\| B \\<script\\> \\*bold\\*\n\n**tomcat-metro is slower than go on echoStruct")
    assert "Compared with go, tomcat-metro uses 1." in said and "- measured: 5 January 2026" in said
    rows = [line for line in said.splitlines() if line.startswith("|")]
    assert len({line.replace("\\|", "").count("|") for line in rows}) == 1 and len(rows) == 4


def test_many_subjects_are_a_table_in_markdown_too(tmp_path: Path) -> None:
    rates = {f"server-{n}": 4000.0 + 1000 * n for n in range(5)}
    said = markdown_of(analyse_run(read_run(small(tmp_path, forks=4, pairs=4, rates=rates, reference="server-0"))))
    assert "**server-4 is first of 5 by throughput" in said
    assert "| server-4 | 1 | faster |" in said


def test_without_a_browser_the_picture_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    run = small(tmp_path)
    ran = steelyard("report", str(run), "--png", folder=tmp_path, environment={"STEELYARD_BROWSER": "/no/such"})
    assert ran.code == 1 and "STEELYARD_BROWSER names /no/such" in ran.err and "hint: install one" in ran.err
    assert not (run / "report.html").exists()


def test_a_machine_without_any_browser_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STEELYARD_BROWSER", raising=False)
    monkeypatch.setattr(browser, "BROWSERS", ("no-such-browser",))
    with pytest.raises(ToolchainError, match="no Chromium or Chrome on this machine"):
        browser.browser()


def test_a_browser_that_draws_nothing_is_named_with_its_last_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = page_for(tmp_path, monkeypatch, "#!/bin/sh\necho 'no display' >&2\nexit 3\n")
    with pytest.raises(SteelyardError, match=r"could not draw report\.png: no display"):
        browser.draw_card(page, tmp_path / "report.png")


def page_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> Path:
    """A page to be drawn by `script` in a browser's place."""
    program = tmp_path / "browser"
    program.write_text(script)
    program.chmod(0o755)
    monkeypatch.setenv("STEELYARD_BROWSER", str(program))
    page = tmp_path / "report.html"
    page.write_text("<p>")
    return page


@contextmanager
def gone_afterwards(noted: Path) -> Iterator[None]:
    """The process whose number the body leaves in `noted` is gone soon after, which its keeper has seen to; else it is ended."""
    yield
    process = int(noted.read_text())
    deadline = time.monotonic() + 30
    try:
        while Path(f"/proc/{process}").exists():
            assert time.monotonic() < deadline, "what the browser started is still running"
            time.sleep(0.01)
    finally:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def test_what_a_browser_leaves_behind_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    helper = tmp_path / "helper"
    page = page_for(tmp_path, monkeypatch, FORGETFUL.format(helper=helper, then="exit 0"))
    with gone_afterwards(helper):
        assert browser.draw_card(page, tmp_path / "report.png").read_text() == "drawn\n"


def test_an_interrupted_drawing_leaves_nothing_of_the_browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    helper = tmp_path / "helper"
    then = f"kill -INT {os.getpid()}; exec sleep 1000"
    page = page_for(tmp_path, monkeypatch, FORGETFUL.format(helper=helper, then=then))
    with gone_afterwards(helper), pytest.raises(KeyboardInterrupt):
        browser.draw_card(page, tmp_path / "report.png")


def test_a_real_browser_draws_the_first_screen_and_the_pages(tmp_path: Path) -> None:
    try:
        browser.browser()
    except ToolchainError:
        pytest.skip("there is no Chromium or Chrome on this machine")
    run = small(tmp_path)
    ran = steelyard("report", str(run), "--png", "--pdf", "--markdown", folder=tmp_path)
    assert ran.code == 0, ran.err
    picture = (run / "report.png").read_bytes()
    size = (int.from_bytes(picture[16:20], "big"), int.from_bytes(picture[20:24], "big"))
    assert picture.startswith(b"\x89PNG") and size == (2400, 1600)
    assert (run / "report.pdf").read_bytes().startswith(b"%PDF-")
    assert ran.out.count("written: ") == 3
    kept = keep(run, tmp_path / "kept")
    assert not [path.name for path in kept.iterdir() if path.suffix in (".png", ".pdf", ".md")]


def test_a_run_with_missing_files_says_so_on_the_terminal_and_on_its_page(tmp_path: Path) -> None:
    run = small(tmp_path)
    (run / "environment.json").unlink()
    ran = steelyard("report", str(run), folder=tmp_path)
    assert ran.code == 0 and "environment.json is missing: the machine and the versions" in ran.err
    assert "environment.json is missing: the machine and the versions" in (run / "report.html").read_text()
