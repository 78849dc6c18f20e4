# What a server that has data sources of its own is told of the database: a script that reads this one has `class` and `url` then.
: "${STEELYARD_PORT_DATABASE:?the pet store needs a database beside the server}" "${STEELYARD_PASSWORD:?is not set}"
database_port=${STEELYARD_PORT_LINK:-$STEELYARD_PORT_DATABASE} # what stands before the database, if anything does
place=${STEELYARD_HOST:-127.0.0.1}:$database_port
case ${STEELYARD_DATABASE:-h2} in
  postgresql) class=org.postgresql.xa.PGXADataSource url=jdbc:postgresql://$place/steelyard ;;
  *) class=org.h2.jdbcx.JdbcDataSource url="jdbc:h2:tcp://$place/./steelyard;LOCK_TIMEOUT=20000" ;;
esac
