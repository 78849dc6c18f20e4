"""From stored files to figures, ratios, verdicts and their words. Nothing here looks at a running process."""
