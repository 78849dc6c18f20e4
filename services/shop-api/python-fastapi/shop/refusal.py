"""Why a request was refused, as the client gets it."""

from typing import ClassVar


class RefusalError(Exception):
    """An answer with a status and a reason."""

    status: ClassVar[int]
    reason: ClassVar[str]


class NotValidError(RefusalError):
    status, reason = 400, "not valid"


class NotFoundError(RefusalError):
    status, reason = 404, "not found"


class OutOfStockError(RefusalError):
    status, reason = 409, "out of stock"
