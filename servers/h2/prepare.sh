# Makes an empty database in SCRATCH, steelyard, whose one user is steelyard with the password in STEELYARD_PASSWORD:
# prepare.sh SCRATCH CACHE.
set -eu
cd "$1"
umask 077
printf "ALTER USER STEELYARD SET PASSWORD '%s';\n" "${STEELYARD_PASSWORD:?is not set}" >password.sql # not on a command line, which all may see
"$JAVA_HOME/bin/java" -cp "$2/h2-2.5.252.jar" org.h2.tools.RunScript -url jdbc:h2:./steelyard -user steelyard -script password.sql
rm password.sql
