"""Has the test server keep nothing, or keep again: forgets.py URL."""

import sys
import urllib.request

with urllib.request.urlopen(sys.argv[1], timeout=20):
    pass
