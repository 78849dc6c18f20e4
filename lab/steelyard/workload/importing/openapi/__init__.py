"""OpenAPI 3.0 and 3.1 documents, read as WSDLs are: REST over JSON as a service folder."""
