"""A page on loopback for a folder of runs: list, side by side, trends, and a running run. Nothing here measures."""
