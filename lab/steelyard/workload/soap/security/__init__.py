"""WS-Security (OASIS, 1.1): bodies signed by X.509 certificates, encrypted for them, or both; requests made, answers read."""
