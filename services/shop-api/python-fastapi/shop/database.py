"""The pool of connections to PostgreSQL."""

import os
import sys
from typing import Annotated

import asyncpg
from fastapi import Depends, Request

CACHED_STATEMENTS = 100  # asyncpg's own default


def open_pool(connections: int) -> asyncpg.Pool:
    """A pool of exactly so many connections, as the factors `prepared` and `isolation` say. They are opened when it is entered."""
    isolation = os.environ.get("STEELYARD_ISOLATION") or "read-committed"
    return asyncpg.create_pool(
        host=os.environ.get("STEELYARD_HOST") or "127.0.0.1",
        port=int(os.environ["STEELYARD_PORT_DATABASE"]),
        database="steelyard",
        user="steelyard",
        password=os.environ.get("STEELYARD_PASSWORD"),
        ssl=False,
        server_settings={"default_transaction_isolation": isolation.replace("-", " ")},
        min_size=connections,
        max_size=connections,
        max_queries=sys.maxsize,  # no connection is closed after many queries or a long rest
        max_inactive_connection_lifetime=0,
        max_cached_statement_lifetime=0,
        statement_cache_size=0 if os.environ.get("STEELYARD_PREPARED") == "off" else CACHED_STATEMENTS,
        reset=keep_session,
    )


async def keep_session(connection: asyncpg.Connection) -> None:
    """Leave a session as it is when its connection returns to the pool: no handler changes one, and a reset is one more request
    to the database for each of ours."""


async def pool_of(request: Request) -> asyncpg.Pool:
    return request.app.state.database


Database = Annotated[asyncpg.Pool, Depends(pool_of)]
