"""A page on loopback over a folder of runs: the list, runs side by side, trends, a run while it lasts. Nothing here measures."""
