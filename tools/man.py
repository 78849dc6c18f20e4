"""Manual pages from --help: `python tools/man.py DIR`, then `man DIR/steelyard.1`. With --share they are below DIR/man/man1, and
the shells' completions where each shell looks for them below share/, as the wheel brings them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from steelyard import __version__
from steelyard.cli import whole_program
from steelyard.commands.completing import Shell, completion_script

Command = Any  # typer bundles its own copy of click, without types
COMPLETIONS = {
    Shell.BASH: "bash-completion/completions/steelyard",
    Shell.ZSH: "zsh/site-functions/_steelyard",
    Shell.FISH: "fish/vendor_completions.d/steelyard.fish",
}
_LONGEST_HEADING = 2  # words before a colon; more are not a heading


def pages() -> Iterator[tuple[str, str]]:
    """Each page's file name and its roff: of the program, and of every command."""
    yield from _pages(typer.main.get_command(whole_program()), ("steelyard",))


def _pages(command: Command, words: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    yield f"{'-'.join(words)}.1", _page(command, words)
    for name, below in sorted(getattr(command, "commands", {}).items()):
        yield from _pages(below, (*words, name))


def _page(command: Command, words: tuple[str, ...]) -> str:
    context = command.context_class(command, info_name=" ".join(words))
    said = (command.help or "").strip()
    lines = [
        f'.TH {"-".join(words).upper()} 1 "" "steelyard {__version__}"',
        *(".SH NAME", _text(f"{'-'.join(words)} - {said.splitlines()[0] if said else ''}")),
        *(".SH SYNOPSIS", _text(" ".join((" ".join(words), *command.collect_usage_pieces(context))))),
        *(".SH DESCRIPTION", _text(said)),
    ]
    records = [record for parameter in command.get_params(context) if (record := parameter.get_help_record(context))]
    if records:
        lines.append(".SH OPTIONS")
        lines += [line for name, meaning in records for line in (".TP", f"\\fB{_text(name)}\\fR", _text(meaning))]
    if below := getattr(command, "commands", {}):
        lines.append(".SH COMMANDS")
        for name, inner in sorted(below.items()):
            lines += [".TP", f"\\fB{_text('-'.join((*words, name)))}\\fR(1)", _text(inner.get_short_help_str(200))]
    lines += [line for paragraph in (command.epilog or "").split("\n\n") if paragraph for line in _ending(paragraph)]
    return "\n".join(lines) + "\n"


def _ending(paragraph: str) -> Iterator[str]:
    """A paragraph of a help's epilog, under the words before its colon; lines that are kept for --help are kept here."""
    if paragraph.startswith("\b\n"):
        _, heading, *kept = paragraph.splitlines()
        yield from (f".SH {_text(heading.rstrip(':').upper())}", ".nf", *(_text(line.strip()) for line in kept), ".fi")
        return
    heading, _, rest = paragraph.partition(": ")
    headed = len(heading.split()) <= _LONGEST_HEADING
    yield from (f".SH {_text(heading.upper())}", _text(rest)) if headed else (".SH NOTES", _text(paragraph))


def _text(words: str) -> str:
    """Text without roff requests."""
    escaped = words.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join(f"\\&{line}" if line[:1] in (".", "'") else line for line in escaped.splitlines())


def write_pages(folder: Path) -> None:
    """Write all pages into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in pages():
        (folder / name).write_text(page, encoding="utf-8")


def write_share(folder: Path) -> None:
    """Write the pages and the completions into a folder with the layout of /usr/share."""
    write_pages(folder / "man" / "man1")
    for shell, place in COMPLETIONS.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(completion_script(shell) + "\n", encoding="utf-8")


def main(words: list[str]) -> int:
    """Write what the words ask for, or print one sentence about them."""
    share = words[:1] == ["--share"]
    if len(words) != 1 + share:
        print("error: name the folder to write to: tools/man.py [--share] DIR", file=sys.stderr)
        return 64
    (write_share if share else write_pages)(Path(words[-1]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
