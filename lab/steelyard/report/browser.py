"""The page as a picture or PDF, rendered by the machine's own Chromium; none is downloaded."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from ..base.errors import SteelyardError, ToolchainError
from ..hosts.keeper import Keeper

BROWSERS = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge"),
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
VARIABLE = "STEELYARD_BROWSER"
CARD = (1200, 800)  # pixels of the first screen, drawn at twice the density
_LIMIT_SECONDS = 600


def browser() -> str:
    """The path of the browser: STEELYARD_BROWSER, else the first of BROWSERS that exists; raises ToolchainError."""
    named = os.environ.get(VARIABLE)
    for name in (named,) if named else BROWSERS:
        if program := shutil.which(name):
            return program
    raise ToolchainError(
        f"{VARIABLE} names {named}, which cannot be run" if named else "there is no Chromium or Chrome on this machine",
        hint=f"install one (Debian: apt install chromium), or name one by {VARIABLE}; --markdown needs none",
    )


def draw_card(page: Path, to: Path) -> Path:
    """The page's first screen as a PNG in `to`; raises ToolchainError and SteelyardError."""
    width, height = CARD
    return _draw_page(
        page,
        to,
        f"--screenshot={to.resolve()}",
        f"--window-size={width},{height}",
        "--force-device-scale-factor=2",
        "--hide-scrollbars",
    )


def draw_paper(page: Path, to: Path) -> Path:
    """The whole page as a PDF in `to`; raises ToolchainError and SteelyardError."""
    return _draw_page(page, to, f"--print-to-pdf={to.resolve()}", "--no-pdf-header-footer")


def _draw_page(page: Path, to: Path, *options: str) -> Path:
    """Let the browser write `to`, with a temporary profile, and end its helper processes, which may outlive it."""
    program = browser()
    to.unlink(missing_ok=True)
    # A browser refuses to build its sandbox for root. The page is the lab's own, and its policy lets only our script run in it.
    as_root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory(prefix="steelyard-browser-", ignore_cleanup_errors=True) as folder:
        command = [
            *(program, "--headless=new", "--disable-gpu", "--no-first-run", "--disable-background-networking"),
            *(f"--user-data-dir={folder}/profile", *as_root, *options, page.resolve().as_uri()),
        ]
        with Keeper(command, log=Path(folder, "browser.log")) as kept:
            ended = kept.wait(_LIMIT_SECONDS)
            output = kept.log_tail(lines=1) or "it printed no message"
    if ended is None:
        raise SteelyardError(f"{program} drew nothing within {_LIMIT_SECONDS} s")
    if ended.code != 0 or not to.is_file() or not to.stat().st_size:
        raise SteelyardError(f"{program} could not draw {to.name}: {output[:300]}")
    return to
