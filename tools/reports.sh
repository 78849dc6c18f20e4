#!/bin/sh
# Puts the reports of the kept runs, unpacked, into a folder: reports.sh FOLDER
set -eu
mkdir -p "$1"
for run in "$(dirname "$0")"/../docs/results/*/schedule.json; do
    run=$(dirname "$run")
    if [ -f "$run/report.html" ]; then cat "$run/report.html"; else xz -dc "$run/report.html.xz"; fi > "$1/$(basename "$run").html"
done
