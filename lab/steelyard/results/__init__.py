"""Stored runs: their files, read back as tables, and what is known about this machine. Nothing here computes a figure."""
