"""What verdicts on a machine can be trusted to say: one artifact against itself, and against itself slowed down by known shares."""
