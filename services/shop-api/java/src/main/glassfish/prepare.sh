# Lays the database's driver into a domain of GlassFish or Payara, and makes the database its default data source: prepare.sh DOMAIN TARGET.
set -eu
. "$(dirname "$0")/../data-source.sh"
mkdir -p "$1/lib"
cp "$2"/shop-api/WEB-INF/lib/postgresql-*.jar "$1/lib/"
python3 "$(dirname "$0")/data_source.py" "$1/config/domain.xml" "$url" "$pool" "$isolation"
# As shipped, GlassFish logs each order that is refused in its transaction.
echo "org.glassfish.cdi.transaction.TransactionalInterceptorBase.level=OFF" >>"$1/config/logging.properties"
