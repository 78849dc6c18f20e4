"""Pure functions of statistics, one file for each rule, each with its source.

They read no files and know no servers.
"""
