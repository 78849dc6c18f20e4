"""Machines and processes: toolchains, builds, processors, processes owned from start to end, and what they and the machine used."""
