"""GraphQL: a schema becomes a service with an operation for each field of its query and its mutation."""
