"""The trees of a JMeter plan: each part with the hashTree below it, the parts that take effect, and parts by their paths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lxml import etree

from .jmeter_parts import is_enabled

Pair = tuple[etree._Element, etree._Element]


def pairs_of(tree: etree._Element) -> Iterator[Pair]:
    """Each element of a hashTree with the hashTree after it, or an empty one."""
    children = [child for child in tree if isinstance(child.tag, str)]
    for number, child in enumerate(children):
        if child.tag != "hashTree":
            behind = children[number + 1] if number + 1 < len(children) else None
            yield child, behind if behind is not None and behind.tag == "hashTree" else etree.Element("hashTree")


def enabled_parts(trees: Sequence[etree._Element]) -> Iterator[etree._Element]:
    """The parts of trees in order, without those that are disabled and what is below them."""
    for tree in trees:
        for element, below in pairs_of(tree):
            if is_enabled(element):
                yield element
                yield from enabled_parts([below])


def included_parts(trees: Sequence[etree._Element]) -> list[etree._Element]:
    """The parts that module controllers name."""
    modules = (part for part in enabled_parts(trees) if part.tag == "ModuleController")
    return [target[0] for module in modules if (target := module_of(trees, module)) is not None]


def module_of(trees: Sequence[etree._Element], controller: etree._Element) -> Pair | None:
    """The part that a module controller names by its path, with the hashTree below it; None if there is none.

    The path begins with the root of JMeter's window, which is not in the file.
    """
    path = [
        each.text or "" for each in controller.iterfind("collectionProp[@name='ModuleController.node_path']/stringProp")
    ]
    level, target = list(trees), None
    for name in path[1:]:
        named = (pair for tree in level for pair in pairs_of(tree) if (pair[0].get("testname") or "") == name)
        target = next(named, None)
        if target is None:
            return None
        level = [target[1]]
    return target
