"""What commands print with `--json`: a file for each kind of command; their schemas stand in contracts/."""
