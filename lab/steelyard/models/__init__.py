"""Closed models of the data passed between parts and stored in files. They only validate, and read no files."""
