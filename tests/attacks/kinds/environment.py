"""Environment: variables, places, standard streams and signals as a user, a container or a scheduler may leave them."""

from __future__ import annotations

import random
import shutil
from itertools import product
from pathlib import Path

from ..ground import UNKNOWN_USER, Ground, quoted
from ..oracle import Verdict

SHARE = 60
HOMELESS = "no HOME, and no entry of the user"
Variables = dict[str, str | None]
# Variables; None removes one.
VARIABLES: dict[str, Variables] = {
    "no HOME": {"HOME": None, "STEELYARD_CACHE": None, "STEELYARD_STATE": None, "XDG_CACHE_HOME": "{tmp}/x"},
    HOMELESS: {"HOME": None, "STEELYARD_CACHE": None, "STEELYARD_STATE": None},
    "HOME is no folder": {"HOME": "{tmp}/file/home", "STEELYARD_CACHE": None, "STEELYARD_STATE": None},
    "HOME is empty": {"HOME": "", "STEELYARD_CACHE": None, "STEELYARD_STATE": None, "XDG_CACHE_HOME": "{tmp}/x"},
    "locale C": {"LC_ALL": "C", "LANG": None, "PYTHONUTF8": None},
    "locale C without UTF-8": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "ASCII streams": {"PYTHONIOENCODING": "ascii"},
    "locale unknown": {"LC_ALL": "xx_YY.UTF-8"},
    "locale Turkish": {"LC_ALL": "tr_TR.UTF-8"},
    "TZ far east": {"TZ": "Pacific/Kiritimati"},
    "TZ odd": {"TZ": "XXX-25:61:61"},
    "TZ nowhere": {"TZ": ":/nonexistent"},
    "PATH is empty": {"PATH": ""},
    "no PATH": {"PATH": None},
    "PATH of missing folders": {"PATH": "/nonexistent:/also/not"},
    "TMPDIR is relative": {"TMPDIR": "."},
    "TERM unknown": {"TERM": "nothing", "COLUMNS": "1", "LINES": "0"},
    "forced colours": {"NO_COLOR": None, "FORCE_COLOR": "1", "TERM": "xterm-256color"},
    "the lock's folder is missing": {"STEELYARD_LOCK": "{tmp}/none/lock"},
    "STEELYARD_PATH is nowhere": {"STEELYARD_PATH": "/nonexistent"},
    "STEELYARD_AWAKE is a wrong word": {"STEELYARD_AWAKE": "maybe"},
    "a proxy is set": {"http_proxy": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9", "ALL_PROXY": "x://y"},
}
# What a shell does before.
SHELLS = {
    "umask 077": "umask 077",
    "umask 777": "umask 777",
    "umask 000": "umask 000",
    "standard input is closed": "exec 0<&-",
    "standard output is closed": "exec 1>&-",
    "standard error is closed": "exec 2>&-",
    "all streams are closed": "exec 0<&- 1>&- 2>&-",
    "standard output is full": "exec 1>/dev/full",
    "standard error is full": "exec 2>/dev/full",
    "Ctrl-C is ignored": "trap '' INT",
    "SIGTERM and SIGHUP are ignored": "trap '' TERM HUP",
    "SIGPIPE is ignored": "trap '' PIPE",
    "SIGCHLD is ignored": "trap '' CHLD",
    "30 more descriptors": 'for n in {{10..39}}; do eval "exec $n</dev/null"; done',
    "the current folder is gone": "mkdir {tmp}/away; cd {tmp}/away; rmdir {tmp}/away",
}
PLACES = ("spaces", "quotes and braces", "letters beyond ASCII", "a long path", "a symbolic link", "a percent sign")
SILENT = ("standard error", "all streams")  # then no error can be read
COMMANDS = ("load", "run", "plan")
VARIANTS = tuple(f"{command}: {name}" for name, command in product((*VARIABLES, *SHELLS, *PLACES), COMMANDS))


def attack(variant: str, draw: random.Random, ground: Ground) -> Verdict:
    """Run a command in an odd environment."""
    del draw  # everything is in the variant
    command, _, name = variant.partition(": ")
    if name in PLACES:
        _move(ground, name)
    places = {"tmp": ground.folder / "odd"}
    places["tmp"].mkdir()
    (places["tmp"] / "file").touch()
    if name.startswith("umask"):
        ground.become()  # modes do not bind root
    if name == HOMELESS:
        ground.become(UNKNOWN_USER)
    variables = {key: value and value.format(**places) for key, value in VARIABLES.get(name, {}).items()}
    shell = SHELLS.get(name, "").format(tmp=quoted(places["tmp"]))
    words = {
        "load": ground.load_words(str(ground.user / "shop")),
        "run": ground.study_words(),
        "plan": ["run", str(ground.user / "tiny.toml"), "--users", "2", "--dry-run"],
    }[command]
    ground.protect()
    ended = ground.run(*words, shell=shell, **variables)
    wrong = ground.wrong(ended)
    if name.startswith(SILENT):
        wrong = [each for each in wrong if "last line" not in each]
    return (ground.study_verdict if command == "run" else ground.load_verdict)(ended, wrong)


def _move(ground: Ground, name: str) -> None:
    """Move the user's folder, and the folder of runs, to an odd place."""
    odd = {
        "spaces": "with two  spaces",
        "quotes and braces": 'it\'s a "{port}" {{id}}',
        "letters beyond ASCII": "Größe 秤",
        "a long path": "/".join(["long" * 12] * 12),
        "a symbolic link": "linked",
        "a percent sign": "100%s %d",
    }[name]
    place = ground.folder / odd
    if name == "a symbolic link":
        place.symlink_to(ground.user)
        ground.user = place
        return
    place.mkdir(parents=True)
    ground.user = Path(shutil.move(ground.user, place / "user"))
    ground.runs = Path(shutil.move(ground.runs, place / "runs"))
