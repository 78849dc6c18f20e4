"""A stand-in for a service, on this machine: what it answers to which request, how late, and how often not rightly."""
