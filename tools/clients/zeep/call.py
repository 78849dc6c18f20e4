"""Asks an operation by zeep, which binds when asked: call.py WSDL [ADDRESS OPERATION VALUES]; with WSDL alone it is only read.

VALUES is a file of JSON: what the operation's element holds, by names. The answer is printed as JSON.
"""

import json
import sys
from pathlib import Path

from zeep import Client
from zeep.helpers import serialize_object


def main(wsdl: str, *asked: str) -> None:
    """Read the description, and ask where an address is given."""
    client = Client(wsdl)
    if not asked:
        return
    address, operation, values = asked
    for service in client.wsdl.services.values():
        for port in service.ports.values():
            if operation in port.binding._operations:
                proxy = client.create_service(str(port.binding.name), address)
                answer = proxy[operation](**json.loads(Path(values).read_text(encoding="utf-8")))
                print(json.dumps(serialize_object(answer, dict), default=str))
                return
    raise SystemExit(f"the description has no operation {operation}")


if __name__ == "__main__":
    main(*sys.argv[1:])
