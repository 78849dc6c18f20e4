"""Reading documents that somebody sent: what is not well-formed, nests too deep or has a document type is a fault."""

from io import BytesIO

from lxml import etree
from spyne import Fault

MOST_DEPTH = 100
WHITE_SPACE = " \t\r\n"
_CAUTIOUS = {"resolve_entities": False, "no_network": True, "remove_comments": True, "remove_pis": True}
_too_deep = etree.XPath(f"boolean({'/'.join('*' * MOST_DEPTH)})")


def refused(reason):
    """The fault that says why a request is not answered."""
    return Fault("Client", reason)


def refuse(element):
    """A fault where elements within this one, itself counted, nest too deep, or its document has a type."""
    if _too_deep(element):
        raise refused("the elements nest too deep")
    refuse_type(element)


def refuse_type(element):
    """A fault where the document of an element has a type."""
    if element.getroottree().docinfo.doctype:
        raise refused("the document has a document type")


def document_at(element, name):
    """The element, if it is one of this name."""
    if element is None or element.tag != name:
        raise refused(f"a {name} is due")
    return element


def tree(text):
    """A document that is a string, as a tree."""
    try:
        root = etree.fromstring((text or "").encode(), etree.XMLParser(**_CAUTIOUS))
    except etree.XMLSyntaxError as error:
        raise refused(str(error)) from None
    refuse(root)
    return root


def events(text):
    """The beginnings and ends of the elements of a document that is a string, as the parser comes to them."""
    try:
        yield from etree.iterparse(BytesIO((text or "").encode()), events=("start", "end"), **_CAUTIOUS)
    except etree.XMLSyntaxError as error:
        raise refused(str(error)) from None
