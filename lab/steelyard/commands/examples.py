"""What a command's help ends with: examples, a line each that no terminal's width folds, so that each can be copied."""

from __future__ import annotations

_AS_IT_IS = "\b"  # by which click keeps a paragraph's lines


def examples(*lines: str, more: str = "") -> str:
    """The end of a command's help, of command lines as they are typed; `more` is what else is to be known, as a paragraph."""
    shown = "\n".join((_AS_IT_IS, "Examples:", *(f"  {line}" for line in lines)))
    return f"{shown}\n\n{more}" if more else shown
