"""What all tests of the lab have: Ctrl-C ends what they start, as in a terminal, and no example of a property has a deadline."""

import signal

from hypothesis import settings

# Who starts the tests from a shell's background has them ignore it, and so would every process that they start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# How long an example takes is no finding: a test that passes must also pass on a busy machine.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")
