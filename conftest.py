"""What all tests have: Ctrl-C ends what they start, as in a terminal."""

import signal

# Who starts the tests from a shell's background has them ignore it, and so would every process that they start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
