// The shop's messages as JSON Schema: Fastify validates requests by them and serializes answers by them.

const NOT_KEPT = '\\u0000\\ud800-\\udfff'; // NUL and lone surrogates, which PostgreSQL does not keep
const TEXT = `^[^${NOT_KEPT}]*$`;
const EMAIL = `^[^@\\s${NOT_KEPT}]+@[^@\\s${NOT_KEPT}]+$`;

const text = (minLength, maxLength, pattern = TEXT) => ({ type: 'string', minLength, maxLength, pattern });
const integer = (minimum, maximum) => ({ type: 'integer', minimum, maximum });
const list = (items, minItems, maxItems) => ({ type: 'array', items, minItems, maxItems });

/** An object all of whose keys are required. */
const object = (properties) => ({ type: 'object', properties, required: Object.keys(properties) });

const STRING = { type: 'string' };
const INTEGER = { type: 'integer' };

export const refused = object({ error: STRING });

export const greeting = object({ service: STRING, greeting: STRING });

export const id = object({ id: { type: 'string', format: 'id' } });

export const ids = object({ ids: { type: 'string', format: 'ids' } });

export const keyword = object({ q: text(1, 100) });

export const item = object({ id: INTEGER, name: STRING, keyword: STRING, priceCents: INTEGER, description: STRING });

export const items = object({ items: { type: 'array', items: item } });

export const orderRequest = object({
  customer: text(1, 100),
  lines: list(object({ item: integer(1, Number.MAX_SAFE_INTEGER), quantity: integer(1, 100) }), 1, 10),
});

const placed = {
  customer: STRING,
  lines: { type: 'array', items: object({ item: INTEGER, name: STRING, quantity: INTEGER, priceCents: INTEGER }) },
  totalCents: INTEGER,
};

export const placedOrder = object(placed);

export const order = object({ id: INTEGER, ...placed });

const messageLine = object({
  sku: text(1, 30),
  quantity: integer(1, 1000),
  priceCents: integer(0, 10_000_000),
  tags: list(text(1, 30), 0, 8),
});

export const message = object({
  reference: text(1, 100),
  customer: object({
    name: text(1, 100),
    email: text(1, 200, EMAIL),
    address: object({
      street: text(1, 100),
      city: text(1, 100),
      postalCode: text(1, 20),
      country: text(2, 2, '^[A-Z]{2}$'),
    }),
  }),
  lines: list(messageLine, 1, 50),
  gift: { type: 'boolean' },
  discountPercent: { type: 'number', minimum: 0, maximum: 100 },
  note: text(0, 500),
});
