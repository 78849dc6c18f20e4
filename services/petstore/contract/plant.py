"""Plants a fault in a running shop, or ends it: plant.py HOST PORT PLACE PERCENT.

PERCENT of the workflow steps fail once at PLACE: `after-call` or `at-commit`; 0 ends it. Where center and supplier have servers of
their own (STEELYARD_PORT_CENTER, STEELYARD_PORT_SUPPLIER), these are told, too.
"""

import base64
import os
import sys
import urllib.parse
import urllib.request

ADMINISTRATOR = base64.b64encode(b"admin:admin-secret").decode()


def main():
    host, port, place, percent = sys.argv[1:]
    parts = (os.environ.get(f"STEELYARD_PORT_{part}") for part in ("CENTER", "SUPPLIER"))
    for each in (port, *filter(None, parts)):
        request = urllib.request.Request(
            f"http://{host}:{each}/petstore/faults",
            data=urllib.parse.urlencode({"place": place, "percent": percent}).encode(),
            headers={"Authorization": f"Basic {ADMINISTRATOR}"},
        )
        with urllib.request.urlopen(request, timeout=20):
            pass


main()
