// The pool of connections to PostgreSQL, and the statements.

import pg from 'pg';

pg.types.setTypeParser(pg.types.builtins.INT8, Number); // amounts and the ids that the database gives are below 2 ** 53

const PREPARED = process.env.STEELYARD_PREPARED !== 'off';
const ISOLATION = process.env.STEELYARD_ISOLATION ?? 'read-committed';

const ITEM = 'SELECT id, name, keyword, price_cents AS "priceCents", description FROM item';
const STATEMENTS = {
  itemById: `${ITEM} WHERE id = $1`,
  itemsById: `${ITEM} WHERE id = ANY($1) ORDER BY id`,
  cheapestItems: `${ITEM} WHERE keyword = $1 ORDER BY price_cents, id LIMIT 10`,
  insertOrder: 'INSERT INTO orders (customer) VALUES ($1) RETURNING id',
  takeStock: `UPDATE item SET stock = stock - $2 WHERE id = $1 AND stock >= $2
    RETURNING name, price_cents AS "priceCents"`,
  insertLines: `INSERT INTO order_line (order_id, line_number, item_id, quantity, price_cents)
    SELECT $1::bigint, number, item, quantity, price
    FROM unnest($2::bigint[], $3::bigint[], $4::bigint[]) WITH ORDINALITY AS line (item, quantity, price, number)`,
  orderLines: `SELECT customer, item_id AS item, name, quantity, order_line.price_cents AS "priceCents"
    FROM orders JOIN order_line ON order_id = orders.id JOIN item ON item.id = item_id
    WHERE orders.id = $1 ORDER BY line_number`,
};

/** A statement with its values. One with a name is prepared the first time that a connection gets it. */
export function statement(name, ...values) {
  return { name: PREPARED ? name : undefined, text: STATEMENTS[name], values };
}

/** A pool of so many connections, all of them open. */
export async function openDatabase(connections) {
  const pool = new pg.Pool({
    host: process.env.STEELYARD_HOST ?? '127.0.0.1',
    port: Number(process.env.STEELYARD_PORT_DATABASE),
    database: 'steelyard',
    user: 'steelyard',
    password: process.env.STEELYARD_PASSWORD,
    options: `-c default_transaction_isolation=${ISOLATION.replace('-', '\\ ')}`,
    max: connections,
    idleTimeoutMillis: 0,
  });
  pool.on('error', (error) => console.error(`shop-api: an idle connection to the database failed: ${error.message}`));
  const opened = await Promise.all(Array.from({ length: connections }, () => pool.connect()));
  for (const client of opened) client.release();
  return pool;
}
