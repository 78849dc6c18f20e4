"""The bills of materials (CycloneDX) of both packages: `python tools/sbom.py WHEELS [WHEELS ...] TO`. It needs uv in .tools/bin.

The engine's is in its wheel, where maturin writes it. The lab's lists an environment in which its wheel was installed, with the
versions that the tests passed with.
"""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
UV = ROOT / ".tools" / "bin" / "uv"
TOOL = "cyclonedx-bom==7.5.0"
LAB, ENGINE = "steelyard.cdx.json", "steelyard-engine.cdx.json"


def engine_bill(wheel: Path) -> bytes:
    """The bill of materials in the engine's wheel; raises ValueError where it has none."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if ".dist-info/sboms/" in name and name.endswith(".cyclonedx.json"):
                return archive.read(name)
    raise ValueError(f"{wheel.name} has no bill of materials: build it with maturin 1.16 or later")


def write_lab_bill(wheel: Path, folders: Sequence[Path], to: Path) -> None:
    """Write the bill of materials of an environment with the lab's wheel and what it needs."""
    with TemporaryDirectory() as scratch:
        python = Path(scratch) / "bin" / "python"
        found = [word for folder in folders for word in ("--find-links", folder)]
        for command in (
            [UV, "venv", "--quiet", scratch],
            [UV, "pip", "install", "--quiet", "--python", python, *found, wheel],
            [
                *(UV, "tool", "run", "--quiet", "--from", TOOL, "cyclonedx-py", "environment", "--output-reproducible"),
                *(
                    "--pyproject",
                    ROOT / "lab" / "pyproject.toml",
                    "--output-format",
                    "JSON",
                    "--output-file",
                    to,
                    python,
                ),
            ],
        ):
            subprocess.run(command, check=True, cwd=ROOT)


def newest(folders: Sequence[Path], pattern: str) -> Path:
    """The wheel with that name in the folders; raises ValueError where there is none."""
    wheels = sorted(path for folder in folders for path in folder.glob(pattern))
    if not wheels:
        raise ValueError(f"there is no {pattern} in {', '.join(map(str, folders))}: `make wheels` builds them")
    return wheels[-1].resolve()


def main(words: Sequence[str]) -> int:
    """Write both bills and print how many components each lists."""
    if len(words) < 2:
        print("error: name the folders of wheels and the folder to write to: tools/sbom.py WHEELS TO", file=sys.stderr)
        return 64
    *folders, to = (Path(word).resolve() for word in words)
    to.mkdir(parents=True, exist_ok=True)
    try:
        (to / ENGINE).write_bytes(engine_bill(newest(folders, "steelyard_engine-*.whl")))
        write_lab_bill(newest(folders, "steelyard-*.whl"), folders, to / LAB)
    except (ValueError, subprocess.CalledProcessError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    for name in (LAB, ENGINE):
        bill = json.loads((to / name).read_text(encoding="utf-8"))
        print(f"{to / name}: {bill['bomFormat']} {bill['specVersion']}, {len(bill['components'])} components")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
