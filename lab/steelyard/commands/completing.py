"""Shell completion: names of servers and studies, and `steelyard completion`, which prints the shell's script."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import Annotated

import typer
from typer import completion

from .examples import examples

commands = typer.Typer()
VARIABLE = "_STEELYARD_COMPLETE"  # set by a shell that wants completions instead of a run of the command


class Shell(StrEnum):
    """The shells with a completion script."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def servers(incomplete: str) -> list[str]:
    """Names of servers that begin with `incomplete`."""
    from ..catalogue import entries

    return [name for name in sorted(entries.server_files()) if name.startswith(incomplete)]


def server_lists(incomplete: str) -> list[str]:
    """Comma-separated lists of servers, with the last name completed."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in servers(last) if name not in before.split(",")]


def studies(incomplete: str) -> list[str]:
    """Names of studies that begin with `incomplete`."""
    from ..catalogue import entries

    return [name for name in sorted(entries.study_files()) if name.startswith(incomplete)]


def servers_and_studies(incomplete: str) -> list[str]:
    """Names of servers and of studies that begin with `incomplete`."""
    return sorted({*servers(incomplete), *studies(incomplete)})


def services(incomplete: str) -> list[str]:
    """Names of services that begin with `incomplete`."""
    from ..catalogue import entries

    return [name for name in sorted(entries.service_files()) if name.startswith(incomplete)]


def answer_shells() -> None:
    """Register the completion classes where a shell asks for completions; otherwise do nothing."""
    if VARIABLE in os.environ:
        completion.completion_init()  # type: ignore[attr-defined]  # typer declares no exports


def words_to_complete() -> list[str]:
    """The words after the program's name that a shell wants completed; none where no shell asks."""
    if VARIABLE not in os.environ:
        return []
    return (os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")).split()[1:]


def completion_script(shell: Shell) -> str:
    """The script with which a shell asks `steelyard` for completions."""
    script: str = completion.get_completion_script(  # type: ignore[attr-defined]
        prog_name="steelyard", complete_var=VARIABLE, shell=shell.value
    )
    return script


@commands.command(
    name="completion",
    short_help="Print the shell completion script.",
    epilog=examples(
        "steelyard completion bash > ~/.local/share/bash-completion/completions/steelyard",
        'steelyard completion zsh > "${fpath[1]}/_steelyard"',
        "steelyard completion fish > ~/.config/fish/completions/steelyard.fish",
    ),
)
def completion_command(shell: Annotated[Shell, typer.Argument(help="The shell.")]) -> None:
    """Print the script with which a shell completes commands, options, servers and studies."""
    print(completion_script(shell))
