"""WS-Security (OASIS, 1.1): makes requests with signed or encrypted bodies (X.509), and reads such answers."""
