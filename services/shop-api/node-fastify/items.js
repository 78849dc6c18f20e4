// The operations that read items.

import { statement } from './database.js';
import { listOf } from './ids.js';
import { notFound } from './refusal.js';
import * as schemas from './schemas.js';

const several = { 200: schemas.items, '4xx': schemas.refused };

export async function itemRoutes(application, { database }) {
  const item = { schema: { params: schemas.id, response: { 200: schemas.item, '4xx': schemas.refused } } };
  application.get('/items/:id', item, async (request) => {
    const { rows } = await database.query(statement('itemById', request.params.id));
    if (rows.length === 0) throw notFound();
    return rows[0];
  });

  const items = { schema: { querystring: schemas.ids, response: several } };
  application.get('/items', items, async (request) => {
    const { rows } = await database.query(statement('itemsById', listOf(request.query.ids)));
    return { items: rows };
  });

  const search = { schema: { querystring: schemas.keyword, response: several } };
  application.get('/search', search, async (request) => {
    const { rows } = await database.query(statement('cheapestItems', request.query.q));
    return { items: rows };
  });
}
