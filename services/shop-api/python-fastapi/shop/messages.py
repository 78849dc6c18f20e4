"""The messages, and their rules. Types are strict: no text stands for a number, and no fraction for a whole number."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator
from pydantic.alias_generators import to_camel

WITHOUT_NUL = r"^[^\x00]*$"  # which PostgreSQL cannot store
MOST_ID = 2**63 - 1
MOST_IDS = 100

Text30 = Annotated[str, StringConstraints(min_length=1, max_length=30, pattern=WITHOUT_NUL)]
Text100 = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=WITHOUT_NUL)]


class Strict(BaseModel):
    """A message whose keys are in camel case."""

    model_config = ConfigDict(strict=True, alias_generator=to_camel)


class Address(Strict):
    street: Text100
    city: Text100
    postal_code: Annotated[str, StringConstraints(min_length=1, max_length=20, pattern=WITHOUT_NUL)]
    country: Annotated[str, StringConstraints(pattern="^[A-Z]{2}$")]


class Customer(Strict):
    name: Text100
    email: Annotated[str, StringConstraints(max_length=200, pattern=r"^[^@\s\x00]+@[^@\s\x00]+$")]
    address: Address


class MessageLine(Strict):
    sku: Text30
    quantity: Annotated[int, Field(ge=1, le=1000)]
    price_cents: Annotated[int, Field(ge=0, le=10_000_000)]
    tags: Annotated[list[Text30], Field(max_length=8)]


class Message(Strict):
    reference: Text100
    customer: Customer
    lines: Annotated[list[MessageLine], Field(min_length=1, max_length=50)]
    gift: bool
    discount_percent: Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)]
    note: Annotated[str, StringConstraints(max_length=500, pattern=WITHOUT_NUL)]


class LineRequest(Strict):
    item: Annotated[int, Field(ge=1, le=MOST_ID)]
    quantity: Annotated[int, Field(ge=1, le=100)]


class OrderRequest(Strict):
    customer: Text100
    lines: Annotated[list[LineRequest], Field(min_length=1, max_length=10)]

    @field_validator("lines")
    @classmethod
    def sort_lines(cls, lines: list[LineRequest]) -> list[LineRequest]:
        """The lines by item, the order in which all orders lock items; none twice."""
        if len({line.item for line in lines}) < len(lines):
            raise ValueError("an item is there twice")
        return sorted(lines, key=lambda line: line.item)


class Answer(Strict):
    """A message that is made here, by the names of its fields or by its keys."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)


class Item(Answer):
    id: int
    name: str
    keyword: str
    price_cents: int
    description: str


class Items(Answer):
    items: list[Item]


class OrderLine(Answer):
    item: int
    name: str
    quantity: int
    price_cents: int


class PlacedOrder(Answer):
    customer: str
    lines: list[OrderLine]
    total_cents: int


class Order(PlacedOrder):
    id: int


class Greeting(Answer):
    service: str
    greeting: str


def total_of(lines: list[OrderLine]) -> int:
    """What an order of these lines costs, in cents."""
    return sum(line.quantity * line.price_cents for line in lines)
