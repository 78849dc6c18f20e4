"""The documentation as a site in build/site, from the same Markdown: `python tools/docs_site.py [REPOSITORY]`. It needs uv in
.tools/bin.

Pages keep their folders, and a README becomes the page of its folder. A link to a file that is no page leads into the repository's
address (`https://HOST/OWNER/NAME`); without one it stays as text.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from posixpath import normpath

ROOT = Path(__file__).resolve().parent.parent
UV = ROOT / ".tools" / "bin" / "uv"
GENERATOR = "zensical==0.0.73"
TO = ROOT / "build" / "site"
SECTIONS = {
    "Guides": "docs/guides",
    "Method": "docs/method",
    "Reference": "docs/reference",
    "Decisions": "docs/decisions",
    "File formats": "contracts",
}
FIRST = {
    "Start": "README.md",
    "Glossary": "docs/glossary.md",
    "Studies": "docs/studies.md",
    "Kept runs": "docs/results/README.md",
    "Claims": "docs/results/claims.md",
}
LAST = {
    "Rules of the method": "METHODOLOGY.md",
    "Bias": "BIAS.md",
    "Architecture": "ARCHITECTURE.md",
    "Contributing": "CONTRIBUTING.md",
    "Security": "SECURITY.md",
    "Changelog": "CHANGELOG.md",
}
PICTURES = (".svg", ".png")
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
CODE = re.compile(r"(^```.*?^```|`[^`\n]+`)", re.MULTILINE | re.DOTALL)


def tracked() -> list[str]:
    """The paths of the repository's files."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return listed.stdout.splitlines()


def place(path: str) -> str:
    """The path of a page in the site: that of its file, but for the page of a folder."""
    pure = PurePosixPath(path)
    return str(pure.with_name("index.md")) if pure.name == "README.md" else path


def with_links(text: str, page: str, files: frozenset[str], repository: str) -> str:
    """A page's text with the site's links; code stays as it is."""
    folders = {str(parent) for path in files for parent in PurePosixPath(path).parents}

    def link(match: re.Match[str]) -> str:
        is_picture, words, target = match.groups()
        path, _, anchor = target.partition("#")
        if "://" in target or not path:
            return match[0]
        whole = normpath(PurePosixPath(page).parent / path)
        if whole in folders and f"{whole}/README.md" in files:
            whole = f"{whole}/README.md"
        if whole.endswith((".md", *PICTURES)) and whole in files:
            up = "../" * (len(PurePosixPath(page).parts) - 1)
            return f"{is_picture}[{words}]({up}{place(whole)}{f'#{anchor}' if anchor else ''})"
        return f"[{words}]({repository}/blob/main/{whole})" if repository else words

    parts = CODE.split(text)
    return "".join(part if number % 2 else LINK.sub(link, part) for number, part in enumerate(parts))


def navigation(files: Sequence[str]) -> Iterator[dict[str, object]]:
    """The pages in the order of the menu; all others are reached by links."""
    for title, path in FIRST.items():
        yield {title: place(path)}
    for title, folder in SECTIONS.items():
        pages = sorted(path for path in files if str(PurePosixPath(path).parent) == folder and path.endswith(".md"))
        yield {title: [place(path) for path in sorted(pages, key=lambda path: not path.endswith("/README.md"))]}
    yield {"Project": [{title: place(path)} for title, path in LAST.items()]}


def write_pages(to: Path, repository: str) -> int:
    """Write the generator's input; returns the number of pages."""
    files = tracked()
    known, pages = frozenset(files), [path for path in files if path.endswith(".md")]
    for path in pages:
        text = with_links((ROOT / path).read_text(encoding="utf-8"), path, known, repository)
        target = to / "pages" / place(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    for path in files:
        if path.startswith("docs/") and path.endswith(PICTURES):
            (to / "pages" / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, to / "pages" / path)
    settings = {
        "site_name": "Steelyard",
        "docs_dir": "pages",
        "site_dir": "html",
        "use_directory_urls": False,
        "nav": list(navigation(files)),
        "markdown_extensions": ["tables", "fenced_code", "sane_lists", {"toc": {"permalink": True}}],
    }
    (to / "mkdocs.yml").write_text(json.dumps(settings, indent=1), encoding="utf-8")  # which is YAML too
    return len(pages)


def main(words: Sequence[str]) -> int:
    """Write the site anew and print where it is."""
    repository = words[0].rstrip("/") if words else ""
    if len(words) > 1 or (repository and not repository.startswith("https://")):
        print("error: name the repository's address, https://HOST/OWNER/NAME, or nothing", file=sys.stderr)
        return 64
    shutil.rmtree(TO, ignore_errors=True)
    pages = write_pages(TO, repository)
    built = subprocess.run([UV, "tool", "run", "--quiet", GENERATOR, "build", "--strict"], cwd=TO, check=False)
    if built.returncode == 0:
        print(f"{pages} pages: {TO / 'html' / 'index.html'}")
    return built.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
