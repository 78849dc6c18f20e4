"""Results of requests as other load tools write them."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from steelyard.models.outputs.loading import Estimate, LoadedOperation, LoadOutput

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


def keep_load(folder: Path) -> None:
    """Make the folder of a load of ours: 1,500 requests in 30 s, of which 30 failed."""
    folder.mkdir(parents=True)
    output = LoadOutput(
        service="shop",
        target="http://127.0.0.1:8080",
        load="8 users",
        seconds=30.0,
        completed=1470,
        failed=30,
        failures={"status": 30},
        outside=12,
        outside_by={"verification": 2, "lead-in and drain": 10},
        sent=1512,
        unfinished=0,
        throughput_per_s=Estimate(value=49.0, low=48.5, high=49.5),
        response_ms={"mean": Estimate(value=12.0, low=11.5, high=12.5), "p50": Estimate(value=10.0)},
        operations=[LoadedOperation(operation="get", completed=1470, failed=30, failures={"status": 30}, mean_ms=12.0)],
        not_loaded=[],
        kept_answers=0,
        kept_rules=[],
        goals=[],
        goals_kept=None,
        valid=True,
        why_not=[],
        stopped=None,
        notes=["intervals cover this process and hour alone"],
        not_judged=["how it differs from start to start: it was not restarted"],
        run="runs/load",
    )
    (folder / "load.json").write_text(output.model_dump_json())


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


def gatling(made: Sequence[Request]) -> str:
    """A simulation.log of version 3.9, whose four users last as long as the load."""
    begin, end = min(at for at, _, _ in made), max(at + ms for at, ms, _ in made)
    rows = [
        f"REQUEST\t\tget\t{at}\t{at + ms}\t{'OK' if right else 'KO'}\t{' ' if right else 'found 503'}"
        for at, ms, right in made
    ]
    starts, ends = (f"USER\tshop\t{event}\t{at}\n" * 4 for event, at in (("START", begin), ("END", end)))
    return f"RUN\tshop.Load\tload\t{begin}\t \t3.9.5\n{starts}" + "\n".join(rows) + f"\n{ends}"


def gatling_3_0(made: Sequence[Request]) -> str:
    """A simulation.log of version 3.0, with the number of the user in each row."""
    rows = [f"REQUEST\t1\t\tget\t{at}\t{at + ms}\t{'OK' if right else 'KO'}\t " for at, ms, right in made]
    return "RUN\tshop.Load\tload\t1700000000000\t \t3.0.3\n" + "\n".join(rows) + "\n"


def vegeta_json(made: Sequence[Request]) -> str:
    rows = [
        f'{{"attack":"get","seq":{number},"code":{200 if right else 503},"timestamp":"{np.datetime64(at, "ms")}000001Z",'
        f'"latency":{ms * 1_000_000},"bytes_out":0,"bytes_in":9,"error":"{"" if right else "503 Service Unavailable"}",'
        f'"body":"eA==","method":"GET","url":"http://127.0.0.1/","headers":{{}}}}'
        for number, (at, ms, right) in enumerate(made)
    ]
    return "\n".join(rows) + "\n"


def vegeta_csv(made: Sequence[Request]) -> str:
    rows = [
        f"{at}000001,{200 if right else 503},{ms}000000,0,9,{'' if right else '503 Service Unavailable'},eA==,get,{number},"
        "GET,http://127.0.0.1/,"
        for number, (at, ms, right) in enumerate(made)
    ]
    return "\n".join(rows) + "\n"


def h2load_log(made: Sequence[Request]) -> str:
    return "".join(f"{at}000\t{200 if right else 503}\t{ms}000\n" for at, ms, right in made)


def hey_csv(made: Sequence[Request]) -> str:
    rows = [
        f"{ms / 1000:.4f},0.0000,0.0000,0.0000,0.0010,0.0000,{200 if right else 503},{(at - BEGIN) / 1000:.4f}"
        for at, ms, right in made
    ]
    titles = "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset"
    return titles + "\n" + "\n".join(rows) + "\n"


def oha_csv(made: Sequence[Request]) -> str:
    rows = [f"{(at - BEGIN) / 1000},0,0,0.001,{ms / 1000},9,{200 if right else 503}" for at, ms, right in made]
    return "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status\n" + "\n".join(rows) + "\n"


WRITERS = [
    jtl_csv,
    jtl_xml,
    k6_csv,
    k6_json,
    gatling,
    gatling_3_0,
    vegeta_json,
    vegeta_csv,
    h2load_log,
    hey_csv,
    oha_csv,
]
