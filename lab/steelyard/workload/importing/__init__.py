"""Imports: a service's own description, or another tool's file, becomes a service folder with sample requests.

The import lists what it left out.
"""
