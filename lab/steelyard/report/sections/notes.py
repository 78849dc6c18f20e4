"""The notes on a kept run (notes.md in the run's folder)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from markdown_it import MarkdownIt
from markupsafe import Markup

from ...analyse.analysis import Analysis
from ...base.csvfiles import is_stored, read_text
from ..section import Section

NOTES = "notes.md"
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """None where there are no notes."""
    path = analysis.run.folder / NOTES
    return {"notes": _html(read_text(path))} if is_stored(path) else None


def _html(markdown: str) -> Markup:
    """Markdown as HTML, with headings below those of sections. HTML in it is shown as text, and nothing is fetched."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    tokens = parser.parse(_COMMENT.sub("", markdown))
    for place, token in enumerate(tokens):
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + 1)}"
        elif token.type == "th_open" and tokens[place + 1].content:
            token.attrSet("scope", "col")
        elif token.type == "th_open":  # an empty corner heads no column
            token.tag = tokens[place + 2].tag = "td"
    html = parser.renderer.render(tokens, parser.options, {})
    return Markup(
        html.replace("<table>", '<div class="scroll" tabindex="0"><table>').replace("</table>", "</table></div>")
    )


SECTION = Section("notes", content, of_faults=True, of_running=True)
