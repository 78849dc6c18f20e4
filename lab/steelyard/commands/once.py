"""Commands that refuse an option given twice which takes one value: the first would be forgotten without a word."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand, TyperOption


class OnceCommand(TyperCommand):
    """A command of typer; raises BadParameter where an option that is not repeatable is said again."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """What typer makes of the words, once none is said in vain."""
        if not ctx.resilient_parsing:
            _, _, said = self.make_parser(ctx).parse_args(args=list(args))
            for option in said:
                if isinstance(option, TyperOption) and _takes_one(option) and said.count(option) > 1:
                    raise typer.BadParameter("takes one value, and is said more than once", ctx=ctx, param=option)
        return list(super().parse_args(ctx, args))


def _takes_one(option: TyperOption) -> bool:
    return not (option.multiple or option.count or option.is_flag)


def once(commands: typer.Typer) -> typer.Typer:
    """The same commands, each of them such a one."""
    for command in commands.registered_commands:
        command.cls = OnceCommand
    for group in commands.registered_groups:
        if group.typer_instance is not None:
            once(group.typer_instance)
    return commands
