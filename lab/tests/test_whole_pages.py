"""Whole pages in the Nu HTML checker, in axe, and on paper: the demonstration, two studies, a load, and the papers' claims."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from answering import answering
from command import steelyard
from kept_runs import KEPT_RUNS
from lxml import html
from steelyard.analyse.analysis import analyse_run
from steelyard.base.errors import ToolchainError
from steelyard.base.paths import root
from steelyard.report import browser
from steelyard.report.page import html_of
from steelyard.results.stored_run import read_run

CHECKERS = Path(__file__).parent / "page_checkers" / "node_modules"
STUDIES = ("demo", "wstest", "envelope")
PAGES = (*STUDIES, "load", "claims")
IN_AXE = (
    ("demo", "light"),
    ("demo", "dark"),
    ("load", "light"),
    ("load", "dark"),
    ("claims", "dark"),
    ("wstest", "light"),
)
MILLISECONDS = 120_000
# The checker compares no hashes; lab/tests/test_page_script.py shows that the policy allows the page's script and no other.
NOT_FOLLOWED = "Inline script violates Content Security Policy"


def checker(path: str) -> Path:
    """A file of an installed checker; the test is skipped where it is missing."""
    file = CHECKERS / path
    if not file.is_file():
        pytest.skip(f"{path.partition('/')[0]} is not installed: `make page-checkers` installs it")
    return file


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """The pages as files, by name."""
    folder = tmp_path_factory.mktemp("pages")
    texts = {name: html_of(analyse_run(read_run(KEPT_RUNS[name]))) for name in STUDIES}
    texts |= {
        "load": load_page(folder),
        "claims": (root() / "docs" / "results" / "claims.html").read_text(encoding="utf-8"),
    }
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in texts}


def load_page(folder: Path) -> str:
    """The page of a load whose server refuses some requests."""
    count = 0

    def answer(_: BaseHTTPRequestHandler, __: bytes) -> tuple[int, dict[str, str], bytes]:
        nonlocal count
        count += 1
        return 500 if count % 10 == 9 else 200, {}, b"ok"

    words = ("--users", "2", "--for", "3s", "--warm-up", "0.2s", "--p50", "2s", "--errors", "20%", "--out", "runs")
    with answering(answer) as address:
        ran = steelyard("load", f"{address}/", *words, folder=folder)
    assert ran.code == 0 or ran.disturbed, ran.err
    (page,) = folder.glob("runs/*/report.html")
    return page.read_text(encoding="utf-8")


def test_the_html_checker_finds_nothing_on_any_page(pages: Mapping[str, Path]) -> None:
    if shutil.which("java") is None:
        pytest.skip("there is no java on this machine")
    command = ["java", "-jar", checker("vnu-jar/build/dist/vnu.jar"), "--format", "json", "--exit-zero-always"]
    ran = subprocess.run([*command, *pages.values()], capture_output=True, text=True, check=True)
    messages = [each for each in json.loads(ran.stderr)["messages"] if not each["message"].startswith(NOT_FOLLOWED)]
    shown = [f"{Path(each['url']).name}:{each.get('lastLine')}: {each['message']}" for each in messages]
    assert shown == []


@pytest.fixture(scope="module")
def accessible(chromium: Any) -> Iterator[Any]:
    """A tab in which axe may run beside the pages' own script."""
    context = chromium.new_context(bypass_csp=True, viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.set_default_timeout(MILLISECONDS)
    yield page
    context.close()


@pytest.mark.parametrize(("name", "scheme"), IN_AXE)
def test_axe_finds_nothing(accessible: Any, pages: Mapping[str, Path], name: str, scheme: str) -> None:
    script = checker("axe-core/axe.min.js")
    accessible.emulate_media(color_scheme=scheme)
    accessible.goto(pages[name].as_uri())
    accessible.add_script_tag(path=script)
    violations = accessible.evaluate("async () => (await axe.run()).violations")
    shown = [f"{each['id']}: {node['html'][:200]}" for each in violations for node in each["nodes"]]
    assert shown == []


@pytest.mark.parametrize("width", [400, 1440])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_as_wide_as_its_window(accessible: Any, pages: Mapping[str, Path], name: str, width: int) -> None:
    accessible.set_viewport_size({"width": width, "height": 900})
    accessible.goto(pages[name].as_uri())
    assert accessible.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("name", [*STUDIES, "load"])
def test_page_1_of_the_pdf_has_the_result(pages: Mapping[str, Path], tmp_path: Path, name: str) -> None:
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext is not installed: `make test-packages` installs it")
    try:
        paper = browser.draw_paper(pages[name], tmp_path / "report.pdf")
    except ToolchainError as error:
        pytest.skip(error.message)
    ran = subprocess.run(["pdftotext", "-l", "1", paper, "-"], capture_output=True, text=True, check=True)
    (sentence,) = html.parse(str(pages[name])).xpath("//section[@id='verdict']/p[@class='sentence']")
    words = ran.stdout.split()
    assert " ".join(sentence.text_content().split()[:6]) in " ".join(words)
    assert len(words) > 60, "the picture and the facts are on the same page"
