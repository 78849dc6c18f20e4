"""Closed models of the data that passes between parts and lies in files. They only validate, and read no files."""
