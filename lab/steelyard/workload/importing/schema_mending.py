"""Takes out of schemas what is not valid, so that what does not depend on it can be used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import xmlschema
from lxml import etree

from .names import XSD, local, one_line

MOST_ROUNDS = 10  # what depends on a removed component is removed in the next round
_ATTRIBUTES = {
    *("abstract", "attributeFormDefault", "base", "block", "blockDefault", "default", "elementFormDefault", "final"),
    *("finalDefault", "fixed", "form", "id", "itemType", "lang", "maxOccurs", "memberTypes", "minOccurs", "mixed"),
    *("name", "namespace", "nillable", "processContents", "public", "ref", "refer", "schemaLocation", "source"),
    *("substitutionGroup", "system", "targetNamespace", "type", "use", "value", "version", "xpath"),
}


def remove_unknown_attributes(root: etree._Element) -> list[str]:
    """Remove the attributes that XML Schema does not define from its elements; return their names."""
    removed: dict[str, None] = {}
    for element in root.iter(f"{{{XSD}}}*"):
        if _ATTRIBUTES.issuperset(element.keys()):
            continue
        for name in [str(name) for name in element.attrib]:
            if not name.startswith("{") and name not in _ATTRIBUTES:
                del element.attrib[name]
                removed[name] = None
    return list(removed)


def remove_repeated_components(roots: Iterable[etree._Element]) -> list[str]:
    """Remove each global component that is written a second time with the same content; return their names."""
    written: dict[tuple[str, str, str], list[etree._Element]] = {}
    for root in roots:
        for component in root.iterchildren(etree.Element):
            name = component.get("name")
            if name is not None:
                written.setdefault((str(component.tag), root.get("targetNamespace", ""), name), []).append(component)
    removed = []
    for (_, _, name), (first, *others) in written.items():
        content = _canonical(first) if others else b""
        for component in others:
            root = component.getparent()
            if root is not None and _canonical(component) == content:
                root.remove(component)
                removed.append(name)
    return removed


def _canonical(component: etree._Element) -> bytes:
    return bytes(etree.tostring(component, method="c14n2", strip_text=True, with_tail=False))


def remove_invalid_components(driver: Path, roots: Mapping[str, etree._Element]) -> dict[str, str]:
    """Remove the global components that are not valid from `roots` and from their files beside `driver`, until the rest is.

    Returns the reason by name, as `{namespace}local`. What is wrong elsewhere than in a component stays.
    """
    reasons: dict[str, str] = {}
    for _ in range(MOST_ROUNDS):
        schema = xmlschema.XMLSchema(str(driver), allow="local", defuse="always", validation="lax")
        broken = _broken_components(schema.maps.all_errors)
        if not broken:
            break
        for file, numbers in broken.items():
            root = roots.get(file)
            if root is None:
                continue
            components = list(root.iterchildren(etree.Element))
            for number, why in numbers.items():
                component = components[number]
                namespace, plain = root.get("targetNamespace", ""), component.get("name", "")
                name = f"{{{namespace}}}{plain}" if namespace else plain
                reasons.setdefault(name, f"{local(str(component.tag))} {plain} is not valid: {why}")
                root.remove(component)
            etree.ElementTree(root).write(str(driver.parent / file), encoding="UTF-8", xml_declaration=True)
    return reasons


def _broken_components(errors: Iterable[Any]) -> dict[str, dict[int, str]]:
    """What is wrong with global components, by the name of their file and their number among its elements."""
    broken: dict[str, dict[int, str]] = {}
    for error in errors:
        source, element = getattr(error, "source", None), getattr(error, "elem", None)
        if source is None or element is None or not source.url:
            continue
        file = Path(unquote(urlsplit(source.url).path)).name
        children = [child for child in source.root if isinstance(child.tag, str)]
        for number, child in enumerate(children):
            if child.get("name") and any(part is element for part in child.iter()):
                broken.setdefault(file, {}).setdefault(number, one_line(str(error.message), 160))
    return broken
