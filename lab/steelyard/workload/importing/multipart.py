"""Bodies of several parts (multipart/form-data), written and recognized; a part is text, as samples are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

KIND = "multipart/form-data"
_BOUNDARY = re.compile(r"""(?i);\s*boundary=(?:"([^"\r\n]{1,200})"|([^\s;"]{1,200}))""")
_IN_NAMES = str.maketrans({'"': "%22", "\r": "%0D", "\n": "%0A"})  # as HTML and curl write them


@dataclass(frozen=True)
class BodyPart:
    """A part of a body: the name of its field, its text, the name of its file (None: no file), and its content type
    (empty: none is written)."""

    name: str
    text: str
    filename: str | None = None
    content_type: str = ""


def write_parts(parts: Sequence[BodyPart]) -> tuple[str, str]:
    """A body of these parts, and its boundary, which occurs in none of them; the same for the same parts."""
    written = [_part_text(part) for part in parts]
    content = "".join(written)
    number = 1
    while (boundary := f"steelyard-part-{number}") in content:
        number += 1
    return "".join(f"--{boundary}\r\n{part}\r\n" for part in written) + f"--{boundary}--\r\n", boundary


def with_boundary(content_type: str, boundary: str) -> str:
    """A content type of several parts with this boundary in place of its own."""
    return f"{content_type.partition(';')[0].strip() or KIND}; boundary={boundary}"


def is_multipart(content_type: str) -> bool:
    """Whether a content type is one of bodies of several parts."""
    return content_type.strip().lower().startswith("multipart/")


def is_whole(body: str, content_type: str) -> bool:
    """Whether a body begins and ends with the boundary that its content type names."""
    match = _BOUNDARY.search(content_type)
    boundary = (match[1] or match[2]) if match else None
    return boundary is not None and body.startswith(f"--{boundary}") and body.rstrip("\r\n").endswith(f"--{boundary}--")


def _part_text(part: BodyPart) -> str:
    file = "" if part.filename is None else f'; filename="{part.filename.translate(_IN_NAMES)}"'
    kind = f"Content-Type: {part.content_type}\r\n" if part.content_type else ""
    return f'Content-Disposition: form-data; name="{part.name.translate(_IN_NAMES)}"{file}\r\n{kind}\r\n{part.text}'
