# Makes the JVM's cache for the program in SCRATCH where the factor aot_cache asks for it: train.sh SCRATCH CACHE. The training run ends
# once all beans are there: it neither listens nor needs the database.
set -eu
if [ "${STEELYARD_AOT_CACHE:-off}" != on ]; then exit; fi
exec sh start.sh 0 "$1" "$2" "-XX:AOTCacheOutput=$1/program.aot" -Dspring.context.exit=onRefresh \
  -Dspring.jpa.properties.hibernate.boot.allow_jdbc_metadata_access=false -Dspring.jpa.database=postgresql
