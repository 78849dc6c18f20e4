"""A study on all machines of a cluster: trials are sent to workers, and their folders come back.

Nothing here judges.
"""
