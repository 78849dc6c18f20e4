# Compiles what a generator made: compile.sh LIB MADE (LIB: folder of jars). Warnings are the generator's and stop nobody.
set -eu
mkdir -p "$2/classes"
find "$2" -name '*.java' -exec printf '"%s"\n' {} + >"$2/sources.list"
exec javac -nowarn -Xlint:none -proc:none -encoding UTF-8 -cp "$1/*" -d "$2/classes" @"$2/sources.list"
