"""Stored runs read back, and what is known about this machine. Nothing here computes a figure."""
