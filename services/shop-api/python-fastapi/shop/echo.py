"""The operations without the database."""

from .arriving import operations
from .messages import Greeting, Message

router = operations()


@router.post("/echo")
async def echo(message: Message) -> Message:
    return message


@router.get("/static")
async def static() -> Greeting:
    return Greeting(service="shop-api", greeting="hello")
