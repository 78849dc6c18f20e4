# Makes a client's classes: generate.sh LIB MADE WSDL.
set -eu
mkdir -p "$2/sources" "$2/classes"
exec java -cp "$1/*" com.sun.tools.ws.WsImport -quiet -Xnocompile -s "$2/sources" -d "$2/classes" "$3"
