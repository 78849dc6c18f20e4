# Makes a client's classes: generate.sh MADE WSDL.
set -eu
cd "$1"
wsdl2h -P -c++11 -o client.h "$2"
soapcpp2 -j -C -x -L -c++11 -I/usr/share/gsoap/import client.h
