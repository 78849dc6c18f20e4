"""Imports OpenAPI 3.0 and 3.1 documents: REST with JSON as a service folder."""
