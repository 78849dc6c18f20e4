"""What the subjects and the machine used, and what the setup was. Nothing here judges."""
