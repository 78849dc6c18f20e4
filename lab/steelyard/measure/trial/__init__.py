"""One trial: the engine's job, the handshake, warm-up, slices, and what became of a subject under load."""
