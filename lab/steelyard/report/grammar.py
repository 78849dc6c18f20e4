"""The part of Vega-Lite's grammar that the charts use, as values that turn into its JSON: marks over data, in layers.

Vega-Lite is drawn by vl-convert. A Python library for its whole grammar takes longer to load than a page to draw, and checks each
value against a schema of thousands of lines; what a chart here gets wrong, its picture shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

Channel = dict[str, Any]  # a field or a place, and how it is shown
_TYPES = {"Q": "quantitative", "N": "nominal", "O": "ordinal"}


def axis_of(**said: Any) -> dict[str, Any]:
    """An axis: its title, ticks and how figures are written."""
    return said


def scale_of(**said: Any) -> dict[str, Any]:
    """A scale: from which values to which places, colours or shapes."""
    return said


def channel(shorthand: str, **said: Any) -> Channel:
    """A field with its type, such as `seconds:Q` (Q: a quantity, N: a name, O: a place in an order), and how it is shown."""
    name, _, kind = shorthand.partition(":")
    return {"field": name, "type": _TYPES[kind], **said}


def fixed_channel(place: object) -> Channel:
    """A place in pixels, which is no datum."""
    return {"value": place}


@dataclass(frozen=True)
class Marks:
    """Data with one kind of mark and what its channels show; each method gives new marks, and changes none."""

    values: Sequence[Mapping[str, Any]]
    kept: tuple[str, ...] = ()
    mark: Mapping[str, Any] = field(default_factory=dict)
    encoding: Mapping[str, Any] = field(default_factory=dict)

    def where(self, condition: str) -> Marks:
        """Of the data only those for which an expression such as `!datum.voided` is true."""
        return replace(self, kept=(*self.kept, condition))

    def as_marks(self, kind: str, **said: Any) -> Marks:
        """As marks of a kind: point, line, rule, rect, bar, area, tick or text."""
        return replace(self, mark={"type": kind, **said})

    def encode(self, **channels: Mapping[str, Any] | str) -> Marks:
        """With channels, each a `channel` or a bare shorthand; x2 and y2 take their types from x and y."""
        named: dict[str, Any] = {
            name: channel(said) if isinstance(said, str) else said for name, said in channels.items()
        }
        ends: dict[str, Any] = {name: {"field": named[name]["field"]} for name in ("x2", "y2") if name in named}
        return replace(self, encoding={**self.encoding, **named, **ends})

    def to_chart(self, width: int, height: int | Mapping[str, int]) -> Chart:
        """A chart of these alone."""
        return Chart((self,), width, height)

    def json(self) -> dict[str, Any]:
        """This layer as Vega-Lite has it."""
        content = {
            "data": {"values": list(self.values)},
            "mark": dict(self.mark),
            "encoding": dict(sorted(self.encoding.items())),
        }
        return content | ({"transform": [{"filter": condition} for condition in self.kept]} if self.kept else {})


@dataclass(frozen=True)
class Chart:
    """Layers on one another, the first lowest; `width` in pixels, `height` too or `{"step": pixels}` a row."""

    layers: tuple[Marks, ...]
    width: int = 0
    height: int | Mapping[str, int] = 0

    def resize(self, width: int, height: int | Mapping[str, int]) -> Chart:
        """The same chart of another size."""
        return replace(self, width=width, height=height)

    def json(self) -> dict[str, Any]:
        """The whole chart as Vega-Lite has it; data that all layers share stand in it once."""
        layers = [layer.json() for layer in self.layers]
        content = {"width": self.width, "height": self.height}
        if len(layers) == 1:
            return {**layers[0], **content}
        if all(layer["data"] == layers[0]["data"] for layer in layers):
            content |= {"data": layers[0]["data"]}
            layers = [{name: said for name, said in layer.items() if name != "data"} for layer in layers]
        return {**content, "layer": layers}


def stack_layers(*layers: Marks) -> Chart:
    """Layers on one another, the first lowest."""
    return Chart(layers)
