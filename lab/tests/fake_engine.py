#!/usr/bin/env python3
"""Plays steelyard-engine for tests of what the lab does with one: the protocol and the files of contracts/, and no load.

A slice takes no time and has the throughput that STEELYARD_FAKE plants (JSON): `rates` are right answers a second by subject,
1000 by default; `need` is the number of processors that the engine would use, at most one per thread (default 0);
`at` is a list of `[trial, subject, number, what]`: at the measured slice of that number of the subject
(from 0; null for any) of that trial (null for any) the engine does `what`: `interrupt` (Ctrl-C to the lab), `end` (it dies),
`reset` (no answer was right), `wrong` (all were wrong), `silent` (it says no more), `void` (it says that the slice does not count).

What it says that it sent it tells the server, so that both count alike.
"""

import csv
import json
import os
import random
import signal
import sys
import time
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

SLICES = (
    "slice,subject,phase,operation,begin_ns,end_ns,measured_ns,started,completed,expected_faults,wrong,refused,reset,timeout,tls,"
    "malformed,status,fault,truncated,stale_failed,capture,stale,unfinished,oldest_unfinished_ns,unfinished_ns_sum,"
    "unanswered_ns_sum,last_answer_ns,carried_ns_sum,connects,closes,sent,dropped,"
    "lead_in_completed,outside_wrong,outside_refused,outside_reset,outside_timeout,outside_tls,outside_malformed,outside_status,"
    "outside_fault,outside_truncated,outside_stale_failed,outside_capture,outside_stale,bytes_out,bytes_in,response_ns_sum,"
    "service_ns_sum,sessions,sessions_failed,session_ns_sum,thinks,think_ns_sum,engine_user_ns,engine_system_ns,"
    "thread_cpu_most_ns,thread_sent_most,cpu_own_ns,cpu_other_ns,cpu_between_ns,cpu_window_ns,lateness_p99_ns,valid,why_not"
)
TICKS = (
    "time_ns,slice,subject,operation,started,completed,wrong,refused,reset,timeout,tls,malformed,status,fault,truncated,"
    "stale_failed,capture,bytes_out,bytes_in,users_active,late_starts,response_ns_sum,engine_cpu_share,lateness_p99_ns"
)
NO_TURNS = dict.fromkeys(
    ("cpu_own_ns", "cpu_other_ns", "cpu_between_ns", "cpu_window_ns"), ""
)  # what a slice in one stretch has there
THOUSAND_OF_1_MS = (
    "HISTFAAAACR4nJNpmSzMwMDAwgABzFCaEURcm7yEwf4DROA8/wV+AGiiBkg="  # in microseconds, as the library encodes them
)
SAMPLES = "sample,slice,subject,operation,entry,outcome,due_ns,sent_ns,first_byte_ns,last_byte_ns,status,cause"


class Engine:
    """The job, the planted deeds, and the files that grow slice by slice."""

    def __init__(self, job_file, out):
        self.job = json.loads(job_file.read_text())
        own = out.parent if out.name.startswith("driver-") else out
        self.out, self.trial = out, int(own.name) if own.name.isdecimal() else 0  # 0: the pilot
        self.slices = {one["number"]: one for one in self.job["slices"]}
        self.urls = {
            one["subject"]: urlsplit(f"http://{one['host']}:{one['port']}{one['path']}") for one in self.job["targets"]
        }
        self.planted = json.loads(os.environ.get("STEELYARD_FAKE", "{}"))
        self.measured = dict.fromkeys(self.urls, 0)
        self.noise = random.Random(self.job["seed"])
        for name, columns in (("slices.csv", SLICES), ("ticks.csv", TICKS), ("samples/index.csv", SAMPLES)):
            (out / name).parent.mkdir(exist_ok=True)
            self.append(name, [columns.split(",")])
        (out / "intervals.hlog").write_text(
            "#[Histogram log format version 1.3]\n#[BaseTime: 0.000 (seconds since epoch)]\n"
        )
        (out / "summary.json").write_text("{}")

    def append(self, name, rows):
        with (self.out / name).open("a", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)

    def deed(self, number):
        """What is planted at a slice; None where it is an ordinary one."""
        one = self.slices[number]
        if one["phase"] != "measure":
            return None
        place, self.measured[one["subject"]] = self.measured[one["subject"]], self.measured[one["subject"]] + 1
        for trial, subject, at, what in self.planted.get("at", []):
            if trial in (None, self.trial) and subject in (None, one["subject"]) and at in (None, place):
                return what
        return None

    def drive(self, number, deed):
        """Write a slice's rows, as if its load had been given, and tell the server of it."""
        one = self.slices[number]
        length = round(one["profile"]["seconds"] * 1e9)
        rate = self.planted.get("rates", {}).get(one["subject"], 1000) * self.noise.uniform(0.999, 1.001)
        answers = max(1, round(rate * length / 1e9))
        right = 0 if deed in ("reset", "wrong") else answers
        begin = time.monotonic_ns()
        response = one["profile"]["users"] * length
        counts = {"started": answers, "completed": right, "response_ns_sum": response if right else 0}
        counts |= {"reset": answers} if deed == "reset" else {"wrong": answers} if deed == "wrong" else {}
        need, threads = self.planted.get("need", 0.0), self.job["threads"]
        known = {"slice": number, "subject": one["subject"], "operation": "+".join(one["mix"]), **counts}
        row = {
            "engine_user_ns": round(min(need, threads) * length),
            "thread_cpu_most_ns": round(min(need / threads, 1.0) * length),
            "thread_sent_most": -(-answers // threads),
            "phase": one["phase"], "begin_ns": begin, "end_ns": begin + length, "measured_ns": length,
            "service_ns_sum": counts["response_ns_sum"], "sent": answers, **NO_TURNS, **known,
            "valid": int(deed != "void"), "why_not": "planted" if deed == "void" else "",
        }  # fmt: skip
        tick = {"time_ns": begin + length, "users_active": one["profile"]["users"], "engine_cpu_share": 0.1, **known}
        self.append("ticks.csv", [[tick.get(name, 0) for name in TICKS.split(",")]])
        self.append("slices.csv", [[row.get(name, 0) for name in SLICES.split(",")]])
        if right:
            with (self.out / "intervals.hlog").open("a") as file:
                file.write(f"Tag={one['subject']}/{number}/{known['operation']}/response,0,1,1,{THOUSAND_OF_1_MS}\n")
        if deed != "reset":
            self.tell(self.urls[one["subject"]], answers)
        elapsed = length / 1e9
        say(
            tick={
                "slice": number,
                "subject": one["subject"],
                "phase": one["phase"],
                "elapsed_s": elapsed,
                "seconds": elapsed,
                "completed": right,
                "failed": counts.get("reset", 0),
                "wrong": counts.get("wrong", 0),
                "response_ms": response / right / 1e6 if right else None,
                "users": one["profile"]["users"],
            }
        )
        say(drained=number)

    def tell(self, url, answers):
        connection = HTTPConnection(url.hostname, url.port, timeout=10)
        connection.request("PUT", "/count", str(answers))
        connection.getresponse().read()
        connection.close()

    def obey(self, numbers):
        deeds = [self.deed(number) for number in numbers]
        if "interrupt" in deeds:
            os.kill(os.getppid(), signal.SIGINT)
            time.sleep(60)
        if "end" in deeds:
            sys.exit("no more room in this engine")
        if "silent" not in deeds:
            for number, deed in zip(numbers, deeds, strict=True):
                self.drive(number, deed)


def say(**words):
    print(json.dumps(words), flush=True)


def main():
    engine = Engine(Path(sys.argv[2]), Path(sys.argv[4]))
    say(ready=True)
    for line in sys.stdin:
        asked = json.loads(line)
        stretch = asked.get("stretch")
        if stretch is not None:
            engine.slices[stretch["slice"]]["profile"]["seconds"] = stretch["seconds"]
        if "prepare" in asked or (stretch is not None and stretch.get("prepare")):
            say(prepared=asked.get("prepare", stretch and stretch["slice"]))
        elif stretch is not None:
            engine.obey([stretch["slice"]])
        else:
            engine.obey([asked["go"]] if "go" in asked else asked.get("turns", {}).get("slices", []))


if __name__ == "__main__":
    main()
