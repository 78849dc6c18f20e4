"""What is asked for of a purchase order, and every answer, as Spyne models; Spyne passes over elements that a model lacks."""

from spyne import ComplexModel, Decimal, Integer, Unicode

SERVICE = "urn:steelyard:soakit"
ORDER = "urn:steelyard:soakit:order"
COMMON = "urn:steelyard:soakit:common"
NEWS = "urn:steelyard:soakit:news"
BUFFET = "urn:steelyard:soakit:buffet"
MOST_DIGITS = 40


def required(model, **further):
    return model.customize(min_occurs=1, nillable=False, **further)


def repeated(model):
    return model.customize(max_occurs="unbounded")


Text = required(Unicode)
Count = required(Integer)
# As texts: what Spyne takes for a Decimal or an Integer is what Python does, 1e3, NaN and 1_000 among it.
DecimalText = required(
    Unicode, pattern=r"[ \t\r\n]*[+-]?([0-9]+(\.[0-9]{0,6})?|\.[0-9]{1,6})[ \t\r\n]*", max_len=MOST_DIGITS
)
IntegerText = required(Unicode, pattern=r"[ \t\r\n]*[+-]?[0-9]+[ \t\r\n]*", max_len=MOST_DIGITS)
Written = required(Decimal, str_format="{:f}")


class OfOrder(ComplexModel):
    __namespace__ = ORDER


class OfCommon(ComplexModel):
    __namespace__ = COMMON


class TelephoneNumber(OfCommon):
    Number = Unicode


class Contact(OfCommon):
    Telephone = repeated(TelephoneNumber)  # of a substitution group, by its own name


class PartyBase(OfCommon):
    Name = Text
    Contact = Contact


class BuyerParty(PartyBase):
    pass


class SupplierParty(PartyBase):
    pass


class ReceiverParty(PartyBase):
    pass


class CarrierParty(PartyBase):
    pass


class PayerParty(PartyBase):
    pass


class CustomsBrokerParty(PartyBase):
    pass


class ManufacturerParty(PartyBase):
    pass


class Header(OfOrder):
    OrderId = Text
    Priority = Text
    Party = repeated(PartyBase)


class ItemBase(OfOrder):
    pass


class PartItem(ItemBase):
    pass


class KitItem(ItemBase):
    pass


class BulkItem(ItemBase):
    pass


class ServiceItem(ItemBase):
    pass


class ConfiguredItem(PartItem):
    pass


class Charge(OfOrder):
    Amount = DecimalText


class Subline(OfOrder):
    Item = required(ItemBase)
    Quantity = DecimalText
    Price = required(Charge)
    Freight = repeated(Charge)  # of a substitution group, each by its own name
    Discount = repeated(Charge)


class Line(OfOrder):
    LineNumber = IntegerText
    Subline = repeated(Subline)


class PurchaseOrder(OfOrder):
    Header = required(Header)
    Line = repeated(Line)


class ProcessData(OfOrder):
    PurchaseOrder = required(PurchaseOrder)


class ApplicationArea(OfOrder):
    DocumentId = Text


class ProcessPurchaseOrder(OfOrder):
    ApplicationArea = required(ApplicationArea)
    DataArea = required(ProcessData)


PARTIES = (BuyerParty, SupplierParty, ReceiverParty, CarrierParty, PayerParty, CustomsBrokerParty, ManufacturerParty)
ITEMS = (PartItem, KitItem, BulkItem, ServiceItem, ConfiguredItem)
SUBTYPES = [*PARTIES, *ITEMS]  # which only xsi:type names; Spyne refuses one that it does not know


class Acknowledge(OfOrder):
    Response = Text


class AcknowledgedLine(OfOrder):
    LineNumber = Count
    Sublines = Count
    Kits = Count
    Quantity = Written
    Amount = Written


class AcknowledgedOrder(OfOrder):
    OrderId = Text
    Buyer = Text
    Priority = Text
    Telephones = Count
    Line = repeated(AcknowledgedLine)
    Amount = Written


class AcknowledgeData(OfOrder):
    Acknowledge = required(Acknowledge)
    PurchaseOrder = required(AcknowledgedOrder)


class AcknowledgePurchaseOrder(OfOrder):
    Original = Text
    DataArea = required(AcknowledgeData)


class KeptStory(ComplexModel):
    __namespace__ = NEWS
    StoryId = Text
    Headline = Text
    Priority = Unicode
    Language = Unicode
    Characters = Count


class NewsDigest(ComplexModel):
    __namespace__ = NEWS
    Posting = Text
    Stories = Count
    Kept = repeated(KeptStory)


class Violation(ComplexModel):
    __namespace__ = BUFFET
    Part = Count
    Element = Text
    Value = Text


class Validation(ComplexModel):
    __namespace__ = BUFFET
    OrderNumber = Text
    Customer = Text
    Parts = Count
    Violation = repeated(Violation)
