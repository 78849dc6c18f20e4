"""A proxy on this machine that records what is asked of a server, and the service folder that this becomes."""
