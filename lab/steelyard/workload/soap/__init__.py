"""SOAP: comparison of answers by value, and the many spellings of a request."""
