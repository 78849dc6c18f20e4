"""Commands that refuse a repeated option which takes one value: typer would silently drop the first value."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand, TyperOption


class OnceCommand(TyperCommand):
    """A typer command; raises BadParameter where an option that is not repeatable is given twice."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments after checking that no single-valued option is repeated."""
        if not ctx.resilient_parsing:
            _, _, given = self.make_parser(ctx).parse_args(args=list(args))
            for option in given:
                if isinstance(option, TyperOption) and _takes_one(option) and given.count(option) > 1:
                    raise typer.BadParameter("takes one value, but is given more than once", ctx=ctx, param=option)
        return list(super().parse_args(ctx, args))


def _takes_one(option: TyperOption) -> bool:
    return not (option.multiple or option.count or option.is_flag)


def once(commands: typer.Typer) -> typer.Typer:
    """The same commands, each of which refuses repeated options."""
    for command in commands.registered_commands:
        command.cls = OnceCommand
    for group in commands.registered_groups:
        if group.typer_instance is not None:
            once(group.typer_instance)
    return commands
