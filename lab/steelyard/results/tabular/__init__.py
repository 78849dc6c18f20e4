"""Stored runs as tables, each column with its type, unit and meaning: as rows, data frames, CSV and Parquet."""
