"""WSTest as a Spyne service over SOAP 1.1."""

# ruff: noqa: N802, N803, N805 - the names are the contract's, and a Spyne method gets a context, not itself

from models import NAMESPACE, ListItem, OrderId, PurchaseOrder, Struct, Synthetic, Text, required
from orders import purchase_order
from spyne import Application, ByteArray, Service, rpc
from spyne.protocol.soap import Soap11

NO_BYTES = (b"",)  # Spyne reads an empty element as None, and would answer that with a nil element


class WSTest(Service):
    @rpc(_out_message_name="echoVoidResponse")
    def echoVoid(ctx):
        pass

    @rpc(Struct.customize(max_occurs="unbounded"), _in_variable_names={"structs": "struct"},
         _returns=Struct.customize(max_occurs="unbounded"), _out_variable_name="return")  # fmt: skip
    def echoStruct(ctx, structs):
        return structs or []

    @rpc(ListItem.customize(min_occurs=0), _in_variable_names={"items": "list"},
         _returns=ListItem.customize(min_occurs=0), _out_variable_name="return")  # fmt: skip
    def echoList(ctx, items):
        return items

    @rpc(Text, required(Struct), required(ByteArray), _returns=Synthetic, _out_variable_name="return")
    def echoSynthetic(ctx, text, struct, bytes):
        return Synthetic(text=text, struct=struct, bytes=bytes or NO_BYTES)

    @rpc(OrderId, _returns=PurchaseOrder, _out_variable_name="return")
    def getOrder(ctx, orderId):
        return purchase_order(orderId)


def application():
    """The service; requests are validated by the schema that Spyne makes of the models."""
    return Application(
        [WSTest], tns=NAMESPACE, name="WSTest", in_protocol=Soap11(validator="lxml"), out_protocol=Soap11()
    )
