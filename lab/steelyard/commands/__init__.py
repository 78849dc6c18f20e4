"""The command line, one file per command. Computations are in the other packages; nothing imports this one."""
