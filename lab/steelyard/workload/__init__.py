"""Requests and expected answers: contracts, corpora, imports, recordings, stand-ins and exports. Nothing here measures."""
