"""A proxy on this machine that records requests to a server, and writes them as a service folder."""
