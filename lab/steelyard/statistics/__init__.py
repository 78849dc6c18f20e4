"""Steelyard's statistics: pure functions, each with its source; nothing here reads a file or a clock."""
