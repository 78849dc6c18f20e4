"""Machines and processes: toolchains, builds, processors, kept processes, and the resource use of processes and machine."""
