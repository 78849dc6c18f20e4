"""The end of a command's help: examples, one unfolded line each, so that they can be copied."""

from __future__ import annotations

_AS_IT_IS = "\b"  # click keeps the lines of a paragraph that begins with it


def examples(*lines: str, more: str = "") -> str:
    """The epilog of a command's help: command lines as typed; `more` is a paragraph after them."""
    shown = "\n".join((_AS_IT_IS, "Examples:", *(f"  {line}" for line in lines)))
    return f"{shown}\n\n{more}" if more else shown
