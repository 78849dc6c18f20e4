"""Plants a fault in a running shop, or ends it: plant.py HOST PORT PLACE PERCENT.

PERCENT of the workflow steps fail once at PLACE: `after-call` or `at-commit`; 0 ends it.
"""

import base64
import sys
import urllib.parse
import urllib.request

ADMINISTRATOR = base64.b64encode(b"admin:admin-secret").decode()


def main():
    host, port, place, percent = sys.argv[1:]
    request = urllib.request.Request(
        f"http://{host}:{port}/petstore/faults",
        data=urllib.parse.urlencode({"place": place, "percent": percent}).encode(),
        headers={"Authorization": f"Basic {ADMINISTRATOR}"},
    )
    with urllib.request.urlopen(request, timeout=20):
        pass


main()
