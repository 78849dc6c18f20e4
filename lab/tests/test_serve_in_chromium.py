"""`steelyard serve` in a real browser: the list, a stored report in its own origin, trends, and a run while it lasts."""

from __future__ import annotations

import io
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from steelyard.base.live import LiveComparison, LiveInterval
from steelyard.base.progress import Progress
from steelyard.results.live_file import STOP, LiveFile

pytestmark = pytest.mark.long

DEMO = Path(__file__).parents[2] / "docs" / "results" / "demo"
PATIENCE_MS = 120_000
# What a report from elsewhere might try: to learn the token, and to ask for things in the reader's name.
HOSTILE = """<!doctype html><title>hostile</title><p id="seen"></p><script>
const seen = [document.referrer, window.origin];
let cookies = "none"; try { cookies = document.cookie; } catch (error) { cookies = "refused"; }
fetch(location.origin + "/").then(() => "answered", () => "refused").then((asked) => {
  document.getElementById("seen").textContent = JSON.stringify([...seen, cookies, asked]);
});
</script>"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two real runs (the kept demonstration, twice), a hostile one and one that this process says it measures."""
    made = tmp_path_factory.mktemp("runs")
    for name in ("first", "second", "hostile", "now"):
        shutil.copytree(DEMO, made / name)
    (made / "hostile" / "report.html").write_text(HOSTILE)
    return made


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "steelyard", "serve", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as serving:
        assert serving.stdout is not None
        yield serving.stdout.readline().strip()
        serving.send_signal(signal.SIGINT)
        assert serving.wait(60) == 0  # Ctrl-C is how it ends, even while a page watches


class Looking:
    """A page whose complaints are kept."""

    def __init__(self, chromium: Any, width: int = 1200, scheme: str = "light") -> None:
        self.page = chromium.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        self.page.set_default_timeout(PATIENCE_MS)
        self.said: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))


@pytest.mark.parametrize("width", [400, 1200])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_is_wider_than_the_window_or_complains(chromium: Any, address: str, width: int, scheme: str) -> None:
    looking = Looking(chromium, width, scheme)
    for path in ("", "trends", "beside?run=first&run=second"):
        looking.page.goto(address + path)
        wide = looking.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, path
    assert looking.said == []
    looking.page.close()


def test_one_searches_opens_a_report_and_chooses_two(chromium: Any, address: str) -> None:
    looking = Looking(chromium)
    page = looking.page
    page.goto(address)
    page.fill("input[name=text]", "first")
    page.click(".filters button")
    assert page.locator(".runs li").count() == 1
    page.click(".runs .name a")
    page.wait_for_selector(".sentence")
    assert address.split("/")[3] not in page.url
    page.goto(address)
    for name in ("first", "second"):
        page.check(f"input[value={name}]")
    page.click("text=Show the chosen side by side")
    page.wait_for_selector("text=Runs side by side")
    page.close()


def test_a_report_from_elsewhere_learns_nothing_and_reaches_nothing(chromium: Any, address: str) -> None:
    looking = Looking(chromium)
    page = looking.page
    page.goto(address)
    page.click("text=hostile")
    page.wait_for_selector("#seen:not(:empty)")
    assert page.text_content("#seen") == '["","null","refused","refused"]'
    page.close()


def test_a_run_is_watched_as_it_narrows_and_stopped(chromium: Any, address: str, folder: Path) -> None:
    progress = Progress(Console(file=io.StringIO()))
    progress.plan(3600)
    looking = Looking(chromium)
    page = looking.page
    with LiveFile(folder / "now", progress, []) as told:
        for stage in ("starting go", "verifying the answers of go"):
            progress.live.stage = f"trial 1 of 4 · {stage}"
            told()
        page.goto(address)
        page.click("text=now >> visible=true")
        page.wait_for_selector('#stages li:text-matches("answers of go: [2-9] s so far")')  # no event comes meanwhile
        assert page.locator("#stages li").first.inner_text().startswith("trial 1 of 4 · starting go: ")
        assert re.fullmatch(r"5\d min \d\d s left", page.inner_text("#left"))
        for elapsed in range(1, 4):
            tick = {"slice": 0, "subject": "go", "elapsed_s": elapsed, "completed": elapsed * 1234}
            progress.live.second({**tick, "failed": 7, "wrong": 0, "response_ms": 0.5})
        progress.live.stage = "trial 1 of 4 · measuring"
        told()
        page.wait_for_selector("text=trial 1 of 4 · measuring")
        page.wait_for_selector("text=1,234/s")
        for forks, half in ((2, 0.2), (3, 0.1)):
            interval = LiveInterval(forks, 0.8, 0.8 - half, 0.8 + half)
            progress.live.add_intervals([LiveComparison("go", "null", "echo", "throughput", 0.95, [interval])])
        told()
        page.wait_for_selector("text=3 forks: 0.8 (0.7 to 0.9)")
        assert page.locator("line.interval").count() == 2
        assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
        page.click("button.stop")
        page.wait_for_selector("#stage")
        assert (folder / "now" / STOP).exists()
        with pytest.raises(KeyboardInterrupt):
            told()
    page.wait_for_selector("text=The run has ended")
    page.click("text=The report")
    page.wait_for_selector(".sentence")
    assert looking.said == []
    page.close()
