"""Load on a service that runs already: what is asked, whether it may be, one process's figures, and the most that it holds."""
