"""The purchase order of an id, by the rule in contract/wstest.xsd (type PurchaseOrder)."""

from datetime import date
from decimal import Decimal

from models import Address, Customer, LineItem, PurchaseOrder


def purchase_order(n):
    """The purchase order number `n`, 0 to 999999999."""
    items = [line_item(n, i) for i in range(1, 5 + n % 6 + 1)]
    customer = 1000 + n % 9000
    return PurchaseOrder(
        orderId=n,
        reference=f"PO-{n:09d}",
        orderDate=date(2004, 1 + n % 12, 1 + n % 28),
        customer=Customer(customerId=customer, name=f"Customer {customer}", email=f"customer{customer}@example.com"),
        billingAddress=address(n),
        shippingAddress=address(n // 10),
        item=items,
        total=sum(item.quantity * item.unitPrice for item in items),
    )


def line_item(n, i):
    return LineItem(
        lineNumber=i,
        sku=f"SKU-{n % 10000 + 37 * i:05d}",
        description=f"Nuts & bolts, size {1 + (n + i) % 12}",
        quantity=1 + (n + i) % 9,
        unitPrice=Decimal(100 + 7 * (n % 1000) + 25 * i).scaleb(-2),
    )


def address(k):
    return Address(
        street=f"{1 + k % 199} Main Street",
        city=f"City {k % 100}",
        state=f"State {k % 50}",
        postalCode=f"{k % 100000:05d}",
        country="US",
    )
