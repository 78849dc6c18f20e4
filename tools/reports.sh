#!/bin/sh
# Makes the reports of kept runs, all or those named, in a folder: reports.sh FOLDER [RUN ...]
set -eu
root=$(dirname "$0")/..
to=$1
shift
[ $# -gt 0 ] || set -- "$root"/docs/results/*/raw.zip "$root"/papers/*/results/*/raw.zip
mkdir -p "$to"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for run; do
    run=${run%/raw.zip}
    name=$(basename "$run")
    cp -R "$run" "$scratch/$name"
    ${STEELYARD:-"$root/.venv/bin/steelyard"} report "$scratch/$name" > /dev/null
    mv "$scratch/$name/report.html" "$to/$name.html"
done
