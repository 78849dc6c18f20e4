"""A question asked on all machines of a cluster: trials handed to workers, their folders brought home. Nothing here judges."""
