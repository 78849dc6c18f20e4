// The lines of an order.

/** The lines by the ids of their items. */
export function inOrderOfItems(lines) {
  return lines.toSorted((one, other) => one.item - other.item);
}

/** Whether two lines are of the same item; the lines are in the order of their items. */
export function hasItemTwice(lines) {
  return lines.some((line, index) => index > 0 && line.item === lines[index - 1].item);
}

/** What the lines cost together, in cents. */
export function totalOf(lines) {
  return lines.reduce((total, line) => total + line.quantity * line.priceCents, 0);
}
