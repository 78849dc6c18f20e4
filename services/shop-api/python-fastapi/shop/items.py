"""Items, by their ids and by keyword."""

from typing import Annotated

from fastapi import Query

from .arriving import operations
from .database import Database
from .ids import ListedIds, PathId
from .messages import WITHOUT_NUL, Item, Items
from .refusal import NotFoundError

ITEM = 'SELECT id, name, keyword, price_cents AS "priceCents", description FROM item'
ITEM_BY_ID = f"{ITEM} WHERE id = $1"
ITEMS_BY_ID = f"{ITEM} WHERE id = ANY($1) ORDER BY id"
CHEAPEST_ITEMS = f"{ITEM} WHERE keyword = $1 ORDER BY price_cents, id LIMIT 10"

router = operations()


@router.get("/items/{id}")
async def item(id: PathId, database: Database) -> Item:
    row = await database.fetchrow(ITEM_BY_ID, id)
    if row is None:
        raise NotFoundError
    return Item.model_validate(dict(row))


@router.get("/items")
async def items(numbers: ListedIds, database: Database) -> Items:
    return list_of_items(await database.fetch(ITEMS_BY_ID, numbers))


@router.get("/search")
async def search(
    q: Annotated[str, Query(min_length=1, max_length=100, pattern=WITHOUT_NUL)], database: Database
) -> Items:
    return list_of_items(await database.fetch(CHEAPEST_ITEMS, q))


def list_of_items(rows: list) -> Items:
    return Items(items=[Item.model_validate(dict(row)) for row in rows])
