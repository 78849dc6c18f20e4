# Compiles the monitor's core, which needs no library, and the server: prepare.sh SCRATCH.
set -eu
"$JAVA_HOME/bin/javac" --release 17 -d "$1/classes" ../../../../monitor/src/main/java/steelyard/monitor/*.java Layered.java
