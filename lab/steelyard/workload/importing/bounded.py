"""Reads descriptions, which may be hostile, in a child process with limits on time and memory."""

from __future__ import annotations

import ctypes
import gc
import json
import resource
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from ...base import children
from ...base.errors import ImportRefusedError, SteelyardError, outside_cause
from ...models.outputs.own_service import ImportOutput
from .new_folder import folder_at, require_free

MOST_SECONDS = 60
MOST_BYTES = 2 * 2**30
_WALL_SECONDS = 120  # a slow server's answers included
_PR_SET_PDEATHSIG = 1


def convert_in_bounds(
    place: str,
    out: Path,
    also: Sequence[str],
    ports: Sequence[str],
    target: str = "",
    *,
    assets: bool = False,
    catalog: str = "",
) -> ImportOutput:
    """Run `convert_description` within the limits; raises ImportRefusedError if it fails or exceeds them.

    The folder is this process's own until it is complete: the child may be killed, and then nothing of it is left.
    """
    require_free(out)
    try:
        with folder_at(out) as made:
            words = {"place": place, "out": str(made), "also": list(also), "ports": list(ports), "target": target}
            reply = _run_in_bounds(place, {**words, "assets": assets, "catalog": catalog})
    except OSError as error:
        raise _unwritable(error) from None
    return ImportOutput.model_validate({**reply, "folder": str(out)})


def _unwritable(error: OSError) -> ImportRefusedError:
    return ImportRefusedError(f"the service's folder cannot be written: {error}", hint="choose another with --out")


def _run_in_bounds(place: str, asked: Mapping[str, object]) -> Mapping[str, object]:
    """Run the import in a child process and return its reply."""
    try:
        done = children.run([sys.executable, "-m", __name__], seconds=_WALL_SECONDS, text_in=json.dumps(asked))
    except subprocess.TimeoutExpired:
        raise ImportRefusedError(
            f"{place} was not read within {_WALL_SECONDS} s", hint="save it to a file and import that"
        ) from None
    try:
        reply: Mapping[str, str] = json.loads(done.stdout)
    except json.JSONDecodeError:
        if done.returncode >= 0 and "MemoryError" not in done.stderr:
            last = done.stderr.strip().splitlines()[-1:] or ["no message"]
            raise ImportRefusedError(
                f"{place} was not read because of a defect in Steelyard ({last[0][:200]})",
                hint="report it, with the document if you may share it",
            ) from None
        raise ImportRefusedError(
            f"{place} takes more than {MOST_SECONDS} s of processor time or {MOST_BYTES >> 30} GiB of memory to read",
            hint="import a description with fewer operations, or correct this one",
        ) from None
    if "error" in reply:
        raise ImportRefusedError(reply["error"], hint=reply["hint"])
    return reply


def main() -> int:
    """Import what standard input names, and print the result as one JSON object. It ends with the process that started it."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    gc.disable()  # a large document is many objects, all of which stay until this process ends
    from .convert import convert_description  # imported late: only this process reads descriptions

    asked = json.loads(sys.stdin.read())
    try:
        print(convert_description(**{**asked, "out": Path(asked["out"])}).model_dump_json())
    except SteelyardError as error:
        print(json.dumps({"error": error.message, "hint": error.hint}))
    except OSError as error:
        refused = _unwritable(error)
        print(json.dumps({"error": refused.message, "hint": refused.hint}))
    except RuntimeError as error:
        cause = outside_cause(error)
        if cause is None:
            raise
        print(json.dumps({"error": cause[0], "hint": cause[1]}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
