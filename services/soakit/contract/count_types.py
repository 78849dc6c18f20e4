#!/usr/bin/env python3
"""Prints how many named types the schema of an order has, by file: `python3 services/soakit/contract/count_types.py`."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

XS = "{http://www.w3.org/2001/XMLSchema}"
ORDER = Path(__file__).parent / "order" / "purchase-order.xsd"


def types(schema: Path, seen: dict[Path, int] | None = None) -> dict[Path, int]:
    """The named types of a schema and of all that it includes and imports, by file."""
    found = {} if seen is None else seen
    place = schema.resolve()
    if place in found:
        return found
    root = ElementTree.parse(place).getroot()
    found[place] = sum(1 for kind in ("complexType", "simpleType") for _ in root.findall(XS + kind))
    for kind in ("include", "import"):
        for other in root.findall(XS + kind):
            types(place.parent / other.attrib["schemaLocation"], found)
    return found


def main() -> int:
    counted = types(ORDER)
    for place, count in sorted(counted.items()):
        print(f"{count:4}  {place.relative_to(ORDER.parent.parent.resolve())}")
    print(f"{sum(counted.values()):4}  in all")
    return 0


if __name__ == "__main__":
    sys.exit(main())
