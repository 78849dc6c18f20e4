"""Reads stored runs as tables, and the history of this machine. It computes no figures."""
