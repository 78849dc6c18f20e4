"""The charts that sections show, one file each: what is drawn, and the numbers behind it as a table."""
