"""The command line, one file a verb. What a verb needs to compute stands in the rooms below; nothing imports this one."""
