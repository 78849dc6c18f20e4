"""Prints how many requests the service beside the ledger counted: count.py HOST PORT."""

import sys
from urllib.request import ProxyHandler, build_opener

print(int(build_opener(ProxyHandler({})).open(f"http://{sys.argv[1]}:{sys.argv[2]}/wstest/count", timeout=5).read()))
