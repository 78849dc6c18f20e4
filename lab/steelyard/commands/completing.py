"""What a shell completes: names of servers and studies, and `steelyard completion`, which prints what a shell must read."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import Annotated

import typer
from typer import completion

from ..catalogue import entries
from .examples import examples

commands = typer.Typer()
VARIABLE = "_STEELYARD_COMPLETE"  # by which a shell asks for words instead of running the command


class Shell(StrEnum):
    """The shells that can be taught."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def servers(incomplete: str) -> list[str]:
    """Names of servers that begin so."""
    return [name for name in sorted(entries.server_files()) if name.startswith(incomplete)]


def server_lists(incomplete: str) -> list[str]:
    """Lists of servers with commas between them, the last one completed."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in servers(last) if name not in before.split(",")]


def studies(incomplete: str) -> list[str]:
    """Names of studies that begin so."""
    return [name for name in sorted(entries.study_files()) if name.startswith(incomplete)]


def servers_and_studies(incomplete: str) -> list[str]:
    """Names of servers and of studies that begin so."""
    return sorted({*servers(incomplete), *studies(incomplete)})


def services(incomplete: str) -> list[str]:
    """Names of services that begin so."""
    return [name for name in sorted(entries.service_files()) if name.startswith(incomplete)]


def answer_shells() -> None:
    """Teach the command line to answer a shell that asks; nothing where none does."""
    if VARIABLE in os.environ:
        completion.completion_init()  # type: ignore[attr-defined]  # typer lists no exports


@commands.command(
    name="completion",
    short_help="Print the shell completion script.",
    epilog=examples(
        "steelyard completion bash > ~/.local/share/bash-completion/completions/steelyard",
        'steelyard completion zsh > "${fpath[1]}/_steelyard"',
        "steelyard completion fish > ~/.config/fish/completions/steelyard.fish",
    ),
)
def completion_command(shell: Annotated[Shell, typer.Argument(help="The shell to print it for.")]) -> None:
    """Print the script that makes a shell complete commands, options, servers and studies."""
    script = completion.get_completion_script(  # type: ignore[attr-defined]
        prog_name="steelyard", complete_var=VARIABLE, shell=shell.value
    )
    print(script)
