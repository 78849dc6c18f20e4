"""Make a schedule from a study and the user's options, fixed before anything runs.

Nothing here starts a server or reads results.
"""
