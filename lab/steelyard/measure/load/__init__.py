"""Load on running services: targets and permissions, figures of one process, and the search for its limit."""
