"""The main job from a study to a report, its pilot, and a stopped run taken up again."""
