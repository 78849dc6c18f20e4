"""Says what became of the tallies that were accepted since an instant: aftermath.py URL SINCE SECONDS."""

import csv
import json
import os
import sys
from collections import Counter
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

url, since, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
with Path(os.environ["STEELYARD_EVENTS"]).open(encoding="utf-8") as file:
    accepted = [row["id"] for row in csv.DictReader(file) if int(row["time_ns"]) >= since]
kept = Counter(build_opener(ProxyHandler({})).open(url, timeout=seconds).read().decode().split())
counts = {
    "accepted": len(accepted),
    "lost": sum(not kept[tally] for tally in accepted),
    "doubled": sum(kept[tally] > 1 for tally in accepted),
}
print(json.dumps({"settled": True, "counts": counts}))
