"""Writes a forge's address into the metadata of both packages, before a release builds them: `python tools/release_urls.py URL`.

The repository itself names no address, so a copy of it elsewhere does not claim to be the original.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("lab/pyproject.toml", "engine/pyproject.toml")


def with_urls(manifest: str, address: str) -> str:
    """The manifest with `[project.urls]`; raises ValueError for an address that is not https, or a manifest that has them."""
    if not re.fullmatch(r"https://[\w.-]+(?:/[\w.-]+)+", address):
        raise ValueError(f"{address!r} is not the address of a repository; name one like https://HOST/OWNER/NAME")
    project = tomllib.loads(manifest)["project"]
    if "urls" in project:
        raise ValueError(f"the manifest of {project['name']} has [project.urls] already; remove them")
    files = f"{address}/blob/v{project['version']}"
    urls = {
        "Homepage": address,
        "Documentation": f"{files}/README.md",
        "Changelog": f"{files}/CHANGELOG.md",
        "Issues": f"{address}/issues",
    }
    lines = "".join(f'{name} = "{url}"\n' for name, url in urls.items())
    return f"{manifest.rstrip()}\n\n[project.urls]\n{lines}"


def main(words: list[str]) -> int:
    """Rewrite both manifests, or print one sentence about the obstacle."""
    if len(words) != 1:
        print("error: name the address of the repository: tools/release_urls.py URL", file=sys.stderr)
        return 64
    try:
        changed = {ROOT / name: with_urls((ROOT / name).read_text(encoding="utf-8"), words[0]) for name in PACKAGES}
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    for path, manifest in changed.items():
        path.write_text(manifest, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
