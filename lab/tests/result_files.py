"""Results of requests as other load tools write them."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence

import numpy as np

Request = tuple[int, int, bool]  # begin in ms, time in ms, right
BEGIN = 1_700_000_000_000
JTL = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,success,allThreads\n"
K6 = (
    "metric_name,timestamp,metric_value,check,error,error_code,group,method,name,proto,scenario,status,subproto,tls_version,"
    "url,extra_tags\n"
)


def requests(seconds: int, a_second: int = 20, seed: int = 1) -> list[Request]:
    """Requests of some milliseconds, evenly, every hundredth of which fails."""
    draw = random.Random(seed)
    return [
        (BEGIN + 1000 * number // a_second, draw.randint(10, 90), number % 100 != 99)
        for number in range(seconds * a_second)
    ]


def jtl_csv(made: Sequence[Request]) -> str:
    rows = [f'{at},{ms},get,{200 if right else 503},"a, ""b""",t 1-1,{str(right).lower()},4' for at, ms, right in made]
    return JTL + "\n".join(rows) + "\n"


def jtl_xml(made: Sequence[Request]) -> str:
    rows = [
        f'<httpSample t="{ms}" ts="{at}" s="{str(right).lower()}" lb="get" rc="{200 if right else 503}" na="4">'
        f'<httpSample t="1" ts="{at}" s="false" lb="part" rc="200"/><responseData>x</responseData></httpSample>'
        for at, ms, right in made
    ]
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<testResults version="1.2">\n' + "\n".join(rows) + "\n</testResults>\n"
    )


def k6_csv(made: Sequence[Request]) -> str:
    rows = [
        f"http_req_duration,{(at + ms) // 1000},{ms}.000000,,,,,GET,get,HTTP/1.1,load,{200 if right else 503},,,u,"
        f"expected_response={str(right).lower()}\nhttp_req_blocked,{at // 1000},5,,,,,GET,get,,load,200,,,u,"
        for at, ms, right in made
    ]
    return K6 + "\n".join([f"vus,{BEGIN // 1000},4.000000,,,,,,,,,,,,,", *rows]) + "\n"


def k6_json(made: Sequence[Request]) -> str:
    lines = ['{"type":"Metric","data":{"type":"trend"},"metric":"http_req_duration"}']
    for at, ms, right in made:
        tags = {"name": "get", "status": "200" if right else "503", "expected_response": str(right).lower()}
        data = {"time": f"{np.datetime64(at + ms, 'ms')}123456Z", "value": ms, "tags": tags}
        lines.append(json.dumps({"type": "Point", "data": data, "metric": "http_req_duration"}))
    lines.append('{"type":"Point","metric":"checks","data":{"time":"2026-01-01T00:00:00Z","value":0,"tags":null}}')
    return "\n".join(lines) + "\n"


WRITERS = [jtl_csv, jtl_xml, k6_csv, k6_json]
