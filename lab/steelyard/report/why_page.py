"""The page of a difference split by layer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from ..base.csvfiles import write_text
from ..models.outputs.run import WhyOutput
from ..models.service import Layer
from .charts.waterfall import waterfall
from .script import SCRIPT, policy
from .templates import templates


def write_page(split: WhyOutput, layers: Sequence[Layer], path: Path) -> Path:
    """Write the page and return its path; the same split gives the same bytes, and text from the run is escaped."""
    shown = waterfall("why", split, layers)
    template = templates().get_template("why.html")
    write_text(path, template.render(split=split, shown=shown, policy=policy(), script=Markup(SCRIPT)))
    return path
