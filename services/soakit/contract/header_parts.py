"""What an order's header says beyond what an answer needs: agreements, payment, taxes, transport, approval (order/*.xsd, common/*.xsd)."""

# ruff: noqa: E501  what is one element stays on one line
from __future__ import annotations

import random

LEGS = {"SeaLeg": "<o:Vessel>MV Ottilie</o:Vessel><o:Container><o:ContainerId>CX-{0}</o:ContainerId><o:Seal>S{0}</o:Seal></o:Container>", "RailLeg": "<o:Wagon>W-{0}</o:Wagon>", "RoadLeg": "<o:Plate>KL {0}</o:Plate>", "AirLeg": "<o:Flight>QX {0}</o:Flight>"}  # fmt: skip
TERMS = (
    "<o:Warranty><o:Lasts>P{0}M</o:Lasts></o:Warranty>",
    '<o:Penalty binding="false"><o:EachDay>0.{0}</o:EachDay><o:Most currency="{1}">{0}00</o:Most></o:Penalty>',
    "<o:Return><o:Within>P{0}D</o:Within><o:For>damage</o:For><o:For>x-colour</o:For></o:Return>",
)
MEANS = {
    "TransferMeans": ("transfer", '<o:Account xsi:type="c:BankAccount"><c:Holder>Parts payable</c:Holder><c:Number scheme="iban">XX{0}0042</c:Number><c:Bank>BK-{0}</c:Bank></o:Account>'),
    "CardMeans": ("card", "<o:Holder><c:Given>Irene</c:Given><c:Family>Moser</c:Family></o:Holder><o:Expires>2007-0{2}</o:Expires>"),
    "CreditMeans": ("letter-of-credit", '<o:Issuer>LC-{0}</o:Issuer><o:Limit currency="{1}">{0}000</o:Limit>'),
}  # fmt: skip


def location(name: str, code: str) -> str:
    return f'<o:{name}><c:Code>{code}</c:Code><c:Address xsi:type="c:SiteAddress"><c:City>Quay</c:City><c:PostalCode>1000</c:PostalCode><c:Country>DE</c:Country><c:Site>Terminal 2</c:Site><c:Position latitude="53.5" longitude="-9.9"/></c:Address></o:{name}>'


def further(rng: random.Random, currency: str) -> str:
    """Elements of a header, behind its payment term, as the schema orders them."""
    number, month = rng.randrange(100, 1000), rng.randrange(1, 10)
    leg, means = rng.choice(sorted(LEGS)), rng.choice(sorted(MEANS))
    code, paid = MEANS[means]
    term = rng.choice(TERMS).format(month, currency)
    return (
        f'<o:Basis xsi:type="c:ContractReference"><c:Document>CT-{number}</c:Document><c:Valid><c:From>2005-01-01</c:From></c:Valid></o:Basis>'
        f'<o:Basis xsi:type="c:QuoteReference"><c:Document>QT-{number}</c:Document><c:Revision><c:Number>2</c:Number><c:Changed>2005-04-0{month}T10:00:00Z</c:Changed></c:Revision></o:Basis>'
        f"<o:Agreement><o:DeliveryTerms><o:Code>DAP</o:Code>{location('Place', 'DEHAM')}</o:DeliveryTerms>{term}</o:Agreement>"
        f'<o:Payment><o:Means xsi:type="o:{means}" means="{code}">{paid.format(number, currency, month)}</o:Means>'
        f"<o:Instalment><o:Due><c:Within><c:From>2005-07-01</c:From><c:To>2005-07-3{month % 2}</c:To></c:Within></o:Due><o:Share>100</o:Share></o:Instalment></o:Payment>"
        f'<o:TaxSummary><o:Subtotal kind="value-added"><o:Taxable currency="{currency}">{number}.00</o:Taxable><o:Tax currency="{currency}">{month}.50</o:Tax></o:Subtotal></o:TaxSummary>'
        f"<o:Budget><o:Account><c:Holder>Workshop</c:Holder><c:Ledger>L-{number}</c:Ledger></o:Account><o:Share>100</o:Share></o:Budget>"
        f'<o:Shipment><o:Leg xsi:type="o:{leg}">{location("From", "DEHAM")}{location("To", "FRLEH")}{LEGS[leg].format(number)}</o:Leg></o:Shipment>'
        f'<o:Approval><c:Change><c:At>2005-05-3{month % 2}T16:20:00Z</c:At><c:Status>approved</c:Status></c:Change><c:Signature role="manager"><c:Signer><c:Given>Paul</c:Given><c:Family>Ritter</c:Family></c:Signer><c:Digest>{number:08X}</c:Digest></c:Signature></o:Approval>'
        f'<o:Attachment media="text/plain"><c:Title c:language="en">packing list</c:Title><c:Content><c:Elsewhere>urn:example:lists:{number}</c:Elsewhere></c:Content></o:Attachment>'
    )
