"""The types of contract/wstest.xsd, as Spyne models."""

# ruff: noqa: N815 - the names are the schema's

from spyne import ByteArray, ComplexModel, Date, Decimal, Float, Integer32, SelfReference, Unicode

NAMESPACE = "urn:steelyard:wstest"


class Model(ComplexModel):
    """A type of the contract's namespace whose elements are all required, unless they say otherwise."""

    __namespace__ = NAMESPACE


def required(model, **further):
    return model.customize(min_occurs=1, nillable=False, **further)


Text = required(Unicode)
Int = required(Integer32)
Money = required(Decimal, fraction_digits=2)
OrderId = required(Integer32, ge=0, le=999_999_999)


class Struct(Model):
    varInt = Int
    varFloat = required(Float)
    varString = Text


class ListItem(Model):
    value = required(Struct)
    next = SelfReference.customize(min_occurs=0)


class Synthetic(Model):
    text = Text
    struct = required(Struct)
    bytes = required(ByteArray)


class Customer(Model):
    customerId = Int
    name = Text
    email = Text


class Address(Model):
    street = Text
    city = Text
    state = Text
    postalCode = Text
    country = Text


class LineItem(Model):
    lineNumber = Int
    sku = Text
    description = Text
    quantity = Int
    unitPrice = Money


class PurchaseOrder(Model):
    orderId = OrderId
    reference = Text
    orderDate = required(Date)
    customer = required(Customer)
    billingAddress = required(Address)
    shippingAddress = required(Address)
    item = required(LineItem, max_occurs="unbounded")
    total = Money
