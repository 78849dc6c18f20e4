"""A mock server for a service on this machine: its answers, their delay, and the share of failures."""
