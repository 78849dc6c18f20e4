"""Everything that a user can name: servers, services, studies, factors, and papers' settings and results.

Nothing here is started.
"""
