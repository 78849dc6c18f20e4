// TV Dinner: counts and adds up a purchase order.

import { Fault, ONE, many, readDecimal, readInteger, required, typeOf, writeDecimal } from './values.js';

export function acknowledge(document) {
  const order = document.DataArea?.PurchaseOrder;
  const header = order?.Header;
  const buyer = many(header?.Party).findLast((party) => typeOf(party) === 'BuyerParty');
  if (!buyer) throw new Fault('the order has no buyer');
  const lines = many(order.Line).map(acknowledgeLine);
  const total = lines.reduce((sum, line) => sum + line.amount, 0n);
  return {
    Original: required(document.ApplicationArea?.DocumentId, 'DocumentId'),
    DataArea: {
      Acknowledge: { Response: lines.length > 0 ? 'Accepted' : 'Empty' },
      PurchaseOrder: {
        OrderId: required(header.OrderId, 'OrderId'),
        Buyer: required(buyer.Name, 'Name'),
        Priority: required(header.Priority, 'Priority').trim(),
        Telephones: many(buyer.Contact?.Telephone).length, // of the substitution group, by its own name
        Line: lines.map((line) => line.written),
        Amount: writeDecimal(total, 2),
      },
    },
  };
}

function acknowledgeLine(line) {
  const sublines = many(line?.Subline);
  const quantity = sublines.reduce((sum, subline) => sum + readDecimal(subline?.Quantity, 'Quantity'), 0n);
  const amount = sublines.reduce((sum, subline) => sum + cost(subline), 0n);
  const written = {
    LineNumber: readInteger(line?.LineNumber, 'LineNumber'),
    Sublines: sublines.length,
    Kits: sublines.filter((subline) => typeOf(subline?.Item) === 'KitItem').length,
    Quantity: writeDecimal(quantity),
    Amount: writeDecimal(amount, 2),
  };
  return { written, amount };
}

/** Quantity times price, plus freights, less discounts, in twice as many places as each. */
function cost(subline) {
  const added = (charges) => charges.reduce((sum, charge) => sum + readDecimal(charge?.Amount, 'Amount') * ONE, 0n);
  const goods = readDecimal(subline.Quantity, 'Quantity') * readDecimal(subline.Price?.Amount, 'Price');
  return goods + added(many(subline.Freight)) - added(many(subline.Discount));
}
