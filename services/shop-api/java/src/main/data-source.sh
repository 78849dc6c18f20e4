# What a server that has data sources of its own is told of the database: a script that reads this one has `url`, `pool`, `isolation` and
# `jdbc_isolation` (by the name of JDBC's constant) then.
# The driver keeps a prepared statement on the database's server once it ran five times, as shipped, or never (prepareThreshold=0).
: "${STEELYARD_PORT_DATABASE:?the shop needs a database beside the server}" "${STEELYARD_PASSWORD:?is not set}"
pool=${STEELYARD_POOL:-16} isolation=${STEELYARD_ISOLATION:-read-committed}
jdbc_isolation=TRANSACTION_$(printf %s "$isolation" | tr a-z- A-Z_)
url=jdbc:postgresql://${STEELYARD_HOST:-127.0.0.1}:$STEELYARD_PORT_DATABASE/steelyard
if [ "${STEELYARD_PREPARED:-on}" = off ]; then url="$url?prepareThreshold=0"; fi
