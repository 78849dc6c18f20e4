"""Orders: one is kept with its lines and takes its items from the stock, or nothing of it happens."""

from contextlib import suppress

import asyncpg
from fastapi import Request, Response, status

from .arriving import operations
from .database import Database
from .ids import PathId
from .messages import LineRequest, Order, OrderLine, OrderRequest, PlacedOrder, total_of
from .refusal import NotFoundError, OutOfStockError

INSERT_ORDER = "INSERT INTO orders (customer) VALUES ($1) RETURNING id"
TAKE_STOCK = "UPDATE item SET stock = stock - $2 WHERE id = $1 AND stock >= $2 RETURNING name, price_cents"
INSERT_LINE = """
    INSERT INTO order_line (order_id, line_number, item_id, quantity, price_cents) VALUES ($1, $2, $3, $4, $5)
"""
ORDER_LINES = """
    SELECT customer, item_id AS item, name, quantity, order_line.price_cents AS "priceCents"
    FROM orders JOIN order_line ON order_id = orders.id JOIN item ON item.id = item_id
    WHERE orders.id = $1 ORDER BY line_number
"""

router = operations()


@router.post("/orders", status_code=status.HTTP_201_CREATED)
async def place_order(wanted: OrderRequest, database: Database, request: Request, response: Response) -> PlacedOrder:
    async with database.acquire() as connection:
        order_id, lines = await keep(connection, wanted)
    request.app.state.accepted.add_one()
    response.headers["Location"] = f"/shop/orders/{order_id}"
    return PlacedOrder(customer=wanted.customer, lines=lines, total_cents=total_of(lines))


async def keep(connection: asyncpg.Connection, wanted: OrderRequest) -> tuple[int, list[OrderLine]]:
    """Keep an order and take its items from the stock; begin again where PostgreSQL ends the transaction for its isolation."""
    while True:
        with suppress(asyncpg.SerializationError):
            async with connection.transaction():
                return await insert(connection, wanted)


async def insert(connection: asyncpg.Connection, wanted: OrderRequest) -> tuple[int, list[OrderLine]]:
    """The id and the lines of an order that is in the database, once its transaction is committed."""
    order_id = await connection.fetchval(INSERT_ORDER, wanted.customer)
    lines = [await take(connection, line) for line in wanted.lines]
    rows = [
        (order_id, number, line.item, line.quantity, line.price_cents) for number, line in enumerate(lines, start=1)
    ]
    await connection.executemany(INSERT_LINE, rows)
    return order_id, lines


async def take(connection: asyncpg.Connection, wanted: LineRequest) -> OrderLine:
    """Take an item from the stock, if there is enough of it."""
    row = await connection.fetchrow(TAKE_STOCK, wanted.item, wanted.quantity)
    if row is None:
        raise OutOfStockError
    return OrderLine(item=wanted.item, name=row["name"], quantity=wanted.quantity, price_cents=row["price_cents"])


@router.get("/orders/{id}")
async def order(id: PathId, database: Database) -> Order:
    rows = [dict(row) for row in await database.fetch(ORDER_LINES, id)]
    if not rows:
        raise NotFoundError
    customers = [row.pop("customer") for row in rows]
    lines = [OrderLine.model_validate(row) for row in rows]
    return Order(id=id, customer=customers[0], lines=lines, total_cents=total_of(lines))
