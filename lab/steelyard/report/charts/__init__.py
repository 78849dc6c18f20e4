"""The charts of the sections, one file each: a picture, and its numbers as a table."""
