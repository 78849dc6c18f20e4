# Generates and compiles a service's program: build.sh SERVICE CACHE.
set -eu
name=$(basename "$1")
made="$2/target/$name"
rm -rf "$made"
mkdir -p "$made"
cp -R "$1/contract/." "$made"
cd "$made"
wsdl2h -d -g -N s -P -L -c++11 -t "$1/gsoap/typemap.dat" -o "$name.h" "$name"*.wsdl
# A part of an rpc/literal message stands in no namespace, which soapcpp2 is told by a colon before its name; without one it would be in
# the service's, as elements of its schema are. Other parameters have the prefix of their element in their names.
sed -i -E 's#([ *])([A-Za-z]+[,;][[:space:]]+///< (In|Out)put parameter)$#\1:\2#' "$name.h"
soapcpp2 -j -S -x -L -c++11 -I/usr/share/gsoap/import "$name.h"
# shellcheck disable=SC2046
c++ -std=c++17 -O2 -DNDEBUG -Wall $(pkg-config --cflags gsoap++) -I. -I"$1/gsoap" -I"$1/../common/gsoap" -o "$2/$name" \
    "$1"/gsoap/*.cpp "$1"/../common/gsoap/*.cpp soap*.cpp $(pkg-config --libs gsoap++) -pthread
