"""Toolchains, artifacts, builds, processors, and processes that are owned from start to end. Nothing here sends load."""
