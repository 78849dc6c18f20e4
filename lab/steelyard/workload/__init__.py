"""Requests and expected answers: contracts, corpora, imports, recordings, mock servers and exports.

This package measures nothing.
"""
