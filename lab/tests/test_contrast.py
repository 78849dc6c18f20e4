"""The report's colours can be read, in light, in dark and on paper: WCAG 2.2, 4.5 to 1 for text and 3 to 1 for marks."""

from __future__ import annotations

import re

import pytest
from steelyard.base import paths

STYLE = (paths.root() / "lab" / "steelyard" / "report" / "style.css").read_text()
COLOUR = re.compile(r"--([a-z0-9-]+): (#[0-9a-f]+)")
SCHEMES = {
    scheme: {
        name: colour if len(colour) == 7 else "#" + "".join(2 * digit for digit in colour[1:]) for name, colour in found
    }
    for scheme, found in zip(
        ("light", "dark", "paper"), map(COLOUR.findall, re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)), strict=True
    )
}
TEXT = ("ink", "muted", "good", "warn", "bad", "series-0")
SHADED = re.findall(r"var\(--(series-\d)\) (\d+)%, transparent", STYLE)


def channels(colour: str) -> list[float]:
    return [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]


def luminance(parts: list[float]) -> float:
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: list[float], other: list[float]) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_text_stands_out_from_paper_and_panels_and_marks_from_paper(scheme: str) -> None:
    colours = {name: channels(colour) for name, colour in SCHEMES[scheme].items()}
    for ground in ("paper", "panel"):
        for name in TEXT:
            assert contrast(colours[name], colours[ground]) >= 4.5, (name, ground)
    marks = [name for name in colours if name.startswith("series-")]
    assert len(marks) == 6 and all(contrast(colours[name], colours["paper"]) >= 3 for name in marks)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_what_stands_in_the_matrix_can_be_read_in_its_deepest_colours(scheme: str) -> None:
    colours = {name: channels(colour) for name, colour in SCHEMES[scheme].items()}
    assert len(SHADED) == 6 and ".matrix td .under { color: inherit; }" in STYLE
    for series, percent in SHADED:
        share = int(percent) / 100
        both = zip(colours[series], colours["paper"], strict=True)
        ground = [share * mark + (1 - share) * paper for mark, paper in both]
        assert contrast(colours["ink"], ground) >= 4.5, (series, percent)
