"""Machines and processes: toolchains, builds, processors, kept processes, and the resources that they and the machine
used."""
