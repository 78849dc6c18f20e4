// The operations that place and read orders.

import { statement } from './database.js';
import { hasItemTwice, inOrderOfItems, totalOf } from './lines.js';
import { notFound, notValid, outOfStock } from './refusal.js';
import { inTransaction } from './transaction.js';
import * as schemas from './schemas.js';

export async function orderRoutes(application, { database, accepted }) {
  const placing = { schema: { body: schemas.orderRequest, response: { 201: schemas.placedOrder, '4xx': schemas.refused } } };
  application.post('/orders', placing, async (request, reply) => {
    const { customer } = request.body;
    const wanted = inOrderOfItems(request.body.lines);
    if (hasItemTwice(wanted)) throw notValid();
    const { id, lines } = await inTransaction(database, (client) => placeOrder(client, customer, wanted));
    accepted();
    reply.code(201).header('location', `/shop/orders/${id}`);
    return { customer, lines, totalCents: totalOf(lines) };
  });

  const reading = { schema: { params: schemas.id, response: { 200: schemas.order, '4xx': schemas.refused } } };
  application.get('/orders/:id', reading, async (request) => {
    const { rows: lines } = await database.query(statement('orderLines', request.params.id));
    if (lines.length === 0) throw notFound();
    return { id: Number(request.params.id), customer: lines[0].customer, lines, totalCents: totalOf(lines) };
  });
}

/** Keeps an order and takes its items from the stock; the lines are in the order in which all orders lock items. */
async function placeOrder(client, customer, wanted) {
  const { rows: [{ id }] } = await client.query(statement('insertOrder', customer));
  const lines = [];
  for (const { item, quantity } of wanted) {
    const { rows } = await client.query(statement('takeStock', item, quantity));
    if (rows.length === 0) throw outOfStock();
    lines.push({ item, quantity, ...rows[0] });
  }
  const columns = ['item', 'quantity', 'priceCents'].map((name) => lines.map((line) => line[name]));
  await client.query(statement('insertLines', id, ...columns));
  return { id, lines };
}
