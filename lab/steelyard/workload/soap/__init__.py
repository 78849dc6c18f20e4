"""SOAP 1.1: the meaning of an answer, and the many spellings of one request."""
