"""Foundations of every package: errors, paths, small files, progress and number formats.

It knows no servers and no runs.
"""
