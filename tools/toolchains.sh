#!/bin/sh
# Names every toolchain that is missing, with the one command that installs it.
# usage: toolchains.sh [COMMAND ...]   (default: all that make demo and make test need)
missing=0
need() { # command, then the packages of Debian, Fedora, macOS
    command -v "$1" >/dev/null 2>&1 && return
    echo "error: '$1' is not on this machine" >&2
    echo "hint: Debian: apt install $2; Fedora: dnf install $3; macOS: brew install $4" >&2
    missing=1
}
for tool in ${*:-python3 cargo mvn go node cc}; do
    case $tool in
    python3) need python3 "python3 python3-venv" "python3" "python@3.11"
        if command -v python3 >/dev/null 2>&1 && ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
            echo "error: Python 3.11 or newer is needed; python3 here is older" >&2
            echo "hint: Debian: apt install python3.11-venv; Fedora: dnf install python3.11; macOS: brew install python@3.11" >&2
            missing=1
        fi ;;
    cargo) need cargo "cargo" "cargo" "rust" ;;
    mvn) need mvn "maven" "maven" "maven" ;;
    go) need go "golang-go" "golang" "go" ;;
    node) need node "nodejs npm" "nodejs" "node" ;;
    cc) need cc "build-essential" "gcc" "gcc" ;;
    *) need "$tool" "$tool" "$tool" "$tool" ;;
    esac
done
exit $missing
