// The purchase order of an id, by the rule in contract/wstest.xsd (type PurchaseOrder).

export function purchaseOrder(n) {
  const customerId = 1000 + (n % 9000);
  const item = [];
  let total = 0;
  for (let i = 1; i <= 5 + (n % 6); i++) {
    const quantity = 1 + ((n + i) % 9);
    const cents = 100 + 7 * (n % 1000) + 25 * i;
    total += quantity * cents;
    item.push({
      lineNumber: i,
      sku: `SKU-${padded((n % 10000) + 37 * i, 5)}`,
      description: `Nuts & bolts, size ${1 + ((n + i) % 12)}`,
      quantity,
      unitPrice: money(cents),
    });
  }
  return {
    orderId: n,
    reference: `PO-${padded(n, 9)}`,
    orderDate: `2004-${padded(1 + (n % 12), 2)}-${padded(1 + (n % 28), 2)}`,
    customer: { customerId, name: `Customer ${customerId}`, email: `customer${customerId}@example.com` },
    billingAddress: address(n),
    shippingAddress: address(Math.trunc(n / 10)),
    item,
    total: money(total),
  };
}

function address(k) {
  return {
    street: `${1 + (k % 199)} Main Street`,
    city: `City ${k % 100}`,
    state: `State ${k % 50}`,
    postalCode: padded(k % 100000, 5),
    country: 'US',
  };
}

function money(cents) {
  return `${Math.trunc(cents / 100)}.${padded(cents % 100, 2)}`;
}

function padded(number, width) {
  return String(number).padStart(width, '0');
}
