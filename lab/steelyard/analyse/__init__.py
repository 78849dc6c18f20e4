"""Computes figures, ratios, verdicts and their sentences from stored files. It never looks at a running process."""
