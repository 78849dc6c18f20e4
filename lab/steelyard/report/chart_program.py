"""The program that draws charts: each line of its input is a chart in Vega-Lite, each line of its output the SVG or the reason
why there is none.

The library draws by a JavaScript engine, which ends its process where it gets no memory. So it runs in a process of its own,
which loads nothing else of the lab.
"""

from __future__ import annotations

import json
import resource
import sys

import vl_convert


def main() -> None:
    """Draw until the input ends."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for line in sys.stdin:
        try:
            answer = {"svg": vl_convert.vegalite_to_svg(line)}
        except ValueError as error:
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
