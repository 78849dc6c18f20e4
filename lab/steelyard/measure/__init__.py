"""Measurements: the main job from a study to a report, its trials, and load on services that already run."""
