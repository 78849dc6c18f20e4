"""The application of a worker."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from counting import SharedCount
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse

from . import echo, items, orders
from .database import open_pool
from .refusal import NotValidError, RefusalError
from .workers import claim_number, share_of


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Open this worker's connections to the database, and close them at the end."""
    counts, workers = os.environ["STEELYARD_COUNTS"], int(os.environ.get("STEELYARD_WORKERS") or 1)
    app.state.requests = SharedCount(counts)
    app.state.accepted = SharedCount(counts, "accepted")
    with claim_number(counts, workers) as number:
        share = share_of(int(os.environ.get("STEELYARD_POOL") or 16), number, workers)
        async with open_pool(share) as app.state.database:
            yield


app = FastAPI(title="Shop API", lifespan=lifespan, openapi_url=None)
for part in (echo, items, orders):
    app.include_router(part.router)


@app.get("/shop/count", response_class=PlainTextResponse)
async def count(request: Request) -> str:
    return str(request.app.state.requests.total())


@app.get("/shop/accepted", response_class=PlainTextResponse)
async def accepted(request: Request) -> str:
    return str(request.app.state.accepted.total())


@app.exception_handler(RefusalError)
async def refuse(_: Request, refusal: RefusalError) -> JSONResponse:
    return JSONResponse({"error": refusal.reason}, refusal.status)


@app.exception_handler(RequestValidationError)
async def refuse_invalid(_: Request, __: RequestValidationError) -> JSONResponse:
    return JSONResponse({"error": NotValidError.reason}, NotValidError.status)
