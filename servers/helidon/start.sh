# Runs a service's program with Helidon in the foreground: start.sh PORT SCRATCH SERVICE CACHE. Its settings stand in the program's Shop.java, and
# what the contract says of the database in its Main.java.
set -eu
port=$1 scratch=$2 program=$3/helidon/target/$(basename "$3").jar cache=$4
. ../common/jvm.sh
# HikariCP waits at its start until all connections are open.
run_java -Dcom.zaxxer.hikari.blockUntilFilled=true -jar "$program" "$port"
