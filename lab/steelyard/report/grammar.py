"""The part of Vega-Lite's grammar that the charts use: values that become its JSON.

Vega-Lite is drawn by vl-convert. A Python library for the whole grammar takes longer to load than a page to draw, and checks
each value against a schema of thousands of lines. Errors in a chart are visible in its picture.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

Channel = dict[str, Any]  # a field or a position, and how it is shown
_TYPES = {"Q": "quantitative", "N": "nominal", "O": "ordinal"}


def axis_of(**properties: Any) -> dict[str, Any]:
    """An axis: its title, ticks and how figures are written."""
    return properties


def scale_of(**properties: Any) -> dict[str, Any]:
    """A scale: from values to positions, colours or shapes."""
    return properties


def channel(shorthand: str, **properties: Any) -> Channel:
    """A field with its type, such as `seconds:Q` (Q: a quantity, N: a name, O: an ordered value), and how it is shown."""
    name, _, kind = shorthand.partition(":")
    return {"field": name, "type": _TYPES[kind], **properties}


def fixed_channel(place: object) -> Channel:
    """A fixed position in pixels."""
    return {"value": place}


@dataclass(frozen=True)
class Marks:
    """Data with one kind of mark and the content of its channels. Each method returns new marks."""

    values: Sequence[Mapping[str, Any]]
    kept: tuple[str, ...] = ()
    mark: Mapping[str, Any] = field(default_factory=dict)
    encoding: Mapping[str, Any] = field(default_factory=dict)

    def where(self, condition: str) -> Marks:
        """Only the data for which an expression such as `!datum.voided` is true."""
        return replace(self, kept=(*self.kept, condition))

    def as_marks(self, kind: str, **properties: Any) -> Marks:
        """With this kind of mark: point, line, rule, rect, bar, area, tick or text."""
        return replace(self, mark={"type": kind, **properties})

    def encode(self, **channels: Mapping[str, Any] | str) -> Marks:
        """With channels, each a `channel` or a bare shorthand; x2 and y2 take their types from x and y."""
        named: dict[str, Any] = {
            name: channel(properties) if isinstance(properties, str) else properties
            for name, properties in channels.items()
        }
        ends: dict[str, Any] = {name: {"field": named[name]["field"]} for name in ("x2", "y2") if name in named}
        return replace(self, encoding={**self.encoding, **named, **ends})

    def to_chart(self, width: int, height: int | Mapping[str, int]) -> Chart:
        """A chart of only these marks."""
        return Chart((self,), width, height)

    def json(self) -> dict[str, Any]:
        """This layer as Vega-Lite JSON."""
        content = {
            "data": {"values": list(self.values)},
            "mark": dict(self.mark),
            "encoding": dict(sorted(self.encoding.items())),
        }
        return content | ({"transform": [{"filter": condition} for condition in self.kept]} if self.kept else {})


@dataclass(frozen=True)
class Chart:
    """Layers, the first at the bottom; `width` and `height` in pixels, or `{"step": pixels}` per row."""

    layers: tuple[Marks, ...]
    width: int = 0
    height: int | Mapping[str, int] = 0

    def resize(self, width: int, height: int | Mapping[str, int]) -> Chart:
        """The same chart in another size."""
        return replace(self, width=width, height=height)

    def json(self) -> dict[str, Any]:
        """The whole chart as Vega-Lite JSON; data shared by all layers is included once."""
        layers = [layer.json() for layer in self.layers]
        content = {"width": self.width, "height": self.height}
        if len(layers) == 1:
            return {**layers[0], **content}
        if all(layer["data"] == layers[0]["data"] for layer in layers):
            content |= {"data": layers[0]["data"]}
            layers = [{name: properties for name, properties in layer.items() if name != "data"} for layer in layers]
        return {**content, "layer": layers}


def stack_layers(*layers: Marks) -> Chart:
    """Combined layers, the first at the bottom."""
    return Chart(layers)
