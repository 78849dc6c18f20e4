# Compiles what was made: compile.sh MADE.
set -eu
cd "$1"
for source in soap*.cpp; do
  # shellcheck disable=SC2046
  c++ -std=c++17 -w -c $(pkg-config --cflags gsoap++) -I. "$source"
done
