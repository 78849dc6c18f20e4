# Generates and compiles the service's program: build.sh SERVICE CACHE.
set -eu
made="$2/generated"
rm -rf "$made"
mkdir -p "$made"
cp "$1/contract/wstest.wsdl" "$1/contract/wstest.xsd" "$made"
cd "$made"
wsdl2h -P -L -c++11 -t "$1/gsoap/typemap.dat" -o wstest.h wstest.wsdl
soapcpp2 -j -S -x -L -c++11 -I/usr/share/gsoap/import wstest.h
# shellcheck disable=SC2046
c++ -std=c++17 -O2 -DNDEBUG -Wall $(pkg-config --cflags gsoap++) -I. -I"$1/gsoap" -o "$2/wstest" \
    "$1"/gsoap/*.cpp soapC.cpp soapWSTestBindingService.cpp $(pkg-config --libs gsoap++) -pthread
