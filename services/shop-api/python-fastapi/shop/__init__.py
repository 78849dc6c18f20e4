"""The shop's REST API with FastAPI, Pydantic and asyncpg."""
