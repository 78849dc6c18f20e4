"""What each request of an operation goes through before anything else."""

from collections.abc import Callable, Coroutine
from typing import Any

from busy import BUSY_HEADER, stay_busy
from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute

from .refusal import NotValidError


class CountedRoute(APIRoute):
    """A route whose requests are counted, valid or not, and kept busy where their header asks for it."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_counted(request: Request) -> Response:
            request.app.state.requests.add_one()
            if not stay_busy(request.headers.get(BUSY_HEADER, "0")):
                raise NotValidError
            return await handle(request)

        return handle_counted


def operations() -> APIRouter:
    """A router for some of the operations."""
    return APIRouter(prefix="/shop", route_class=CountedRoute)
