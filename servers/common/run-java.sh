# Runs a program of one Java file, which is compiled once into CACHE: run-java.sh SOURCE CACHE CLASSPATH [ARGUMENTS]. Compiling takes
# twice as long as most of these programs.
set -eu
source=$1 cache=$2 classpath=$3
shift 3
name=$(basename "$source" .java)
classes=$cache/$name-$(cksum <"$source" | tr ' ' -)
if [ ! -d "$classes" ]; then
  compiling=$(mktemp -d "$cache/compiling-XXXXXX") # each its own: several trials may begin at a time
  trap 'rm -rf "$compiling"' EXIT
  chmod 755 "$compiling"
  "$JAVA_HOME/bin/javac" --release 17 -d "$compiling" "$source"
  mv -T "$compiling" "$classes" 2>/dev/null || [ -d "$classes" ] # another was first
  rm -rf "$compiling"
fi
exec "$JAVA_HOME/bin/java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto -cp "$classes:$classpath" "$name" "$@"
