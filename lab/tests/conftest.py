"""What all tests of the lab have: no example of a property has a deadline."""

from hypothesis import settings

# How long an example takes is no finding: a test that passes must also pass on a busy machine.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")
