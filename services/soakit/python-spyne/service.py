"""The use cases as Spyne services over SOAP 1.1: each document as XML or as a string, wrapped, bare or by rpc/literal."""

# ruff: noqa: N802, N805 - the names are the contract's, and a Spyne method gets a context, not itself

from buffet import ORDERED, validate
from documents import document_at, events, refuse, tree
from lxml import etree
from models import (
    BUFFET,
    NEWS,
    ORDER,
    SERVICE,
    SUBTYPES,
    AcknowledgePurchaseOrder,
    NewsDigest,
    ProcessPurchaseOrder,
    Text,
    Validation,
    required,
)
from news import POSTING, digest
from orders import acknowledge
from spyne import AnyXml, Application, Service, rpc
from spyne.protocol.soap import Soap11
from spyne.util.xml import get_object_as_xml

ENVELOPE = "http://schemas.xmlsoap.org/soap/envelope/"


class Element(AnyXml):
    """An element as it stands; of its AnyXml Spyne gives what is within."""


def wrapped(space, document, name, answer):
    """A method whose message holds the document `name` in an element of the service's own; its answer holds the other so."""
    return rpc(
        required(document, sub_ns=space),
        _returns=required(answer, sub_ns=space),
        _in_variable_names={"document": name},
        _out_variable_name=answer.get_type_name(),
    )


def bare(space, document, name, answer):
    """A method whose message is the document `name` itself; its answer is the other."""
    names = {"_in_message_name": f"{{{space}}}{name}", "_out_message_name": f"{{{space}}}{answer.get_type_name()}"}
    return rpc(document, _returns=answer, _body_style="bare", **names)


def part(document, answer):
    """A method of rpc/literal: its message holds one document as a part, and its answer the other so."""
    return rpc(required(document), _returns=required(answer), _out_variable_name="document")


def text(name):
    """A method whose message holds the document as a string; its answer does so."""
    return rpc(Text, _returns=Text, _out_message_name=f"{name}Response", _out_variable_name="answer")


def bare_text(name):
    """A method whose message is the document as a string; its answer is one."""
    return rpc(Text, _returns=Text, _body_style="bare", _out_message_name=f"{name}Response")


class TVDinner(Service):
    @wrapped(ORDER, ProcessPurchaseOrder, "ProcessPurchaseOrder", AcknowledgePurchaseOrder)
    def tvDinner(ctx, document):
        return acknowledge(document)

    @bare(ORDER, ProcessPurchaseOrder, "ProcessPurchaseOrder", AcknowledgePurchaseOrder)
    def tvDinnerBare(ctx, document):
        return acknowledge(document)


class SushiBoats(Service):
    @wrapped(NEWS, Element, "NewsPosting", NewsDigest)
    def sushiBoats(ctx, document):
        return digest(etree.iterwalk(document, events=("start", "end")))

    @bare(NEWS, Element, "NewsPosting", NewsDigest)
    def sushiBoatsBare(ctx, document):
        return digest(etree.iterwalk(document, events=("start", "end")))


class Buffet(Service):
    @wrapped(BUFFET, Element, "Order", Validation)
    def buffet(ctx, document):
        return validate(document)

    @bare(BUFFET, Element, "Order", Validation)
    def buffetBare(ctx, document):
        return validate(document)


class TVDinnerRpc(Service):
    @part(ProcessPurchaseOrder, AcknowledgePurchaseOrder)
    def tvDinnerRpc(ctx, document):
        return acknowledge(document)


class SushiBoatsRpc(Service):
    @part(Element, NewsDigest)
    def sushiBoatsRpc(ctx, document):
        return digest(etree.iterwalk(part_as(document, POSTING), events=("start", "end")))


class BuffetRpc(Service):
    @part(Element, Validation)
    def buffetRpc(ctx, document):
        return validate(part_as(document, ORDERED))


class TextsRpc(Service):
    @text("tvDinnerRpcText")
    def tvDinnerRpcText(ctx, text):
        return as_text(acknowledge(order_of(ctx, text)))

    @text("sushiBoatsRpcText")
    def sushiBoatsRpcText(ctx, text):
        return as_text(digest(events(text)))

    @text("buffetRpcText")
    def buffetRpcText(ctx, text):
        return as_text(validate(tree(text)))


class Texts(Service):
    @text("tvDinnerText")
    def tvDinnerText(ctx, text):
        return as_text(acknowledge(order_of(ctx, text)))

    @bare_text("tvDinnerBareText")
    def tvDinnerBareText(ctx, text):
        return as_text(acknowledge(order_of(ctx, text)))

    @text("sushiBoatsText")
    def sushiBoatsText(ctx, text):
        return as_text(digest(events(text)))

    @bare_text("sushiBoatsBareText")
    def sushiBoatsBareText(ctx, text):
        return as_text(digest(events(text)))

    @text("buffetText")
    def buffetText(ctx, text):
        return as_text(validate(tree(text)))

    @bare_text("buffetBareText")
    def buffetBareText(ctx, text):
        return as_text(validate(tree(text)))


def order_of(ctx, text):
    """What the models make of a purchase order that is a string, as they do of one in a message."""
    element = document_at(tree(text), f"{{{ORDER}}}ProcessPurchaseOrder")
    return ctx.app.in_protocol.from_element(ctx, ProcessPurchaseOrder, element)


def part_as(part, name):
    """A part, which stands in no namespace, as the document that it is."""
    document_at(part, "document").tag = name
    return part


def without_namespace(ctx):
    """The part of an answer by rpc/literal: Spyne writes all that a message holds in the application's namespace."""
    for part in ctx.out_document.iterfind(f"{{{ENVELOPE}}}Body/{{{SERVICE}}}*/{{{SERVICE}}}*"):
        part.tag = etree.QName(part).localname


def as_text(answer):
    return etree.tostring(get_object_as_xml(answer), encoding="unicode")


def applications():
    """Spyne's applications by their paths."""
    services = {"TVDinner": TVDinner, "SushiBoats": SushiBoats, "Buffet": Buffet, "Text": Texts}
    by_rpc = {"TVDinnerRpc": TVDinnerRpc, "SushiBoatsRpc": SushiBoatsRpc, "BuffetRpc": BuffetRpc, "TextRpc": TextsRpc}
    made = {f"/soakit/{name}": application(name, service) for name, service in {**services, **by_rpc}.items()}
    for name in by_rpc:
        made[f"/soakit/{name}"].out_protocol.event_manager.add_listener("after_serialize", without_namespace)
    return made


def application(name, service):
    reading = Soap11(validator="soft")  # the schema that Spyne would make of the models knows no substitution group
    reading.deserialization_handlers[Element] = lambda _ctx, _cls, element: element
    reading.event_manager.add_listener("before_deserialize", lambda ctx: refuse(ctx.in_body_doc))
    made = Application([service], tns=SERVICE, name=name, in_protocol=reading, out_protocol=Soap11(), classes=SUBTYPES)
    # Spyne knows methods by their names in the application's namespace; a bare document has its own.
    methods = made.interface.service_method_map
    for (method,) in list(methods.values()):
        methods[f"{{{method.in_message.Attributes.sub_ns or SERVICE}}}{method.name}"] = [method]
    return made
