"""The output of commands with `--json`, one file for each group of commands; their schemas are in contracts/."""
