"""The schemas of standards that WSDLs import, by their namespaces. They are taken from here, and never fetched."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from .names import ADDRESSING, ENCODING, ENVELOPES, XML, XSD

_OWN = Path(__file__).parent / "standards"
_WSS = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity"
_UTILITY = f"{_WSS}-utility-1.0.xsd"


@dataclass(frozen=True)
class KnownSchema:
    """A schema: its file, whether the XML Schema library has it, and the namespaces of the others that it imports."""

    file: str
    is_of_library: bool = False
    needs: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of its file in a contract."""
        return self.file.rpartition("/")[2]


KNOWN = {
    ENCODING: KnownSchema("WSDL/soap-encoding.xsd", is_of_library=True),
    ENVELOPES["1.1"]: KnownSchema("WSDL/soap-envelope.xsd", is_of_library=True),
    "http://www.w3.org/2000/09/xmldsig#": KnownSchema("DSIG/xmldsig-core-schema.xsd", is_of_library=True),
    "http://www.w3.org/1999/xlink": KnownSchema("XLINK/xlink.xsd", is_of_library=True),
    "http://www.w3.org/2005/05/xmlmime": KnownSchema("xmlmime.xsd"),
    "http://schemas.xmlsoap.org/ws/2004/08/addressing": KnownSchema("addressing-2004-08.xsd"),
    ADDRESSING: KnownSchema("addressing.xsd"),
    _UTILITY: KnownSchema("wss-utility.xsd"),
    f"{_WSS}-secext-1.0.xsd": KnownSchema("wss-secext.xsd", needs=(_UTILITY,)),
}


def write_known(namespaces: Iterable[str], folder: Path) -> dict[str, str]:
    """Write the known schemas of these namespaces, and those that they need, into `folder`; return their files by
    namespace."""
    import xmlschema  # loaded late: `record` needs none of it

    of_library = Path(xmlschema.__file__).parent / "schemas"
    files: dict[str, str] = {}
    waiting = list(namespaces)
    while waiting:
        namespace = waiting.pop()
        known = KNOWN.get(namespace)
        if known is None or namespace in files:
            continue
        files[namespace] = known.name
        waiting += known.needs
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True)
        tree = etree.parse(str((of_library if known.is_of_library else _OWN) / known.file), parser)
        for element in tree.getroot().iter(f"{{{XSD}}}import"):
            if element.get("namespace") == XML:
                element.attrib.pop("schemaLocation", None)  # every reader of schemas has it
        tree.write(str(folder / known.name), encoding="UTF-8", xml_declaration=True)
    return files
