"""TV Dinner: counts and adds up a purchase order."""

from decimal import Context, Decimal, localcontext

from documents import WHITE_SPACE, refused
from models import (
    Acknowledge,
    AcknowledgeData,
    AcknowledgedLine,
    AcknowledgedOrder,
    AcknowledgePurchaseOrder,
    BuyerParty,
    KitItem,
)

_EXACT = Context(prec=200)  # products of two numbers of forty digits, and many of these


def acknowledge(process):
    """The AcknowledgePurchaseOrder to a ProcessPurchaseOrder."""
    order = process.DataArea.PurchaseOrder
    buyers = [party for party in order.Header.Party or [] if isinstance(party, BuyerParty)]
    if not buyers:
        raise refused("the order has no buyer")
    contact = buyers[-1].Contact
    with localcontext(_EXACT):
        lines = [acknowledge_line(line) for line in order.Line or []]
        amount = plain(sum(line.Amount for line in lines))
    acknowledged = AcknowledgedOrder(
        OrderId=order.Header.OrderId,
        Buyer=buyers[-1].Name,
        Priority=order.Header.Priority.strip(WHITE_SPACE),
        Telephones=len(contact.Telephone or []) if contact else 0,
        Line=lines,
        Amount=amount,
    )
    answered = AcknowledgeData(
        Acknowledge=Acknowledge(Response="Accepted" if lines else "Empty"), PurchaseOrder=acknowledged
    )
    return AcknowledgePurchaseOrder(Original=process.ApplicationArea.DocumentId, DataArea=answered)


def acknowledge_line(line):
    sublines = line.Subline or []
    return AcknowledgedLine(
        LineNumber=int(line.LineNumber),
        Sublines=len(sublines),
        Kits=sum(isinstance(subline.Item, KitItem) for subline in sublines),
        Quantity=plain(sum(Decimal(subline.Quantity) for subline in sublines)),
        Amount=plain(sum(cost(subline) for subline in sublines)),
    )


def cost(subline):
    """Quantity times price, plus freights, less discounts."""
    goods = Decimal(subline.Quantity) * Decimal(subline.Price.Amount)
    freight = sum(Decimal(charge.Amount) for charge in subline.Freight or [])
    return goods + freight - sum(Decimal(charge.Amount) for charge in subline.Discount or [])


def plain(number):
    """A number with no zeros at its end."""
    return Decimal(number).normalize()
