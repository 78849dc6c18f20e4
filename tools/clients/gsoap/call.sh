# Asks an operation by what was made: call.sh MADE ADDRESS OPERATION REQUEST. The names of its types are those in the proxy's header.
set -eu
made=$1 here=$(pwd)
cd "$made"
header=$(echo soap*Proxy.h)
signature=$(grep -E "virtual int $3\([A-Za-z0-9_]+ \*[^,]+, [A-Za-z0-9_]+ &" "$header") || {
  echo "what was generated has no operation $3" >&2
  exit 1
}
proxy=$(sed -nE "s/^ *class SOAP_CMAC ([A-Za-z0-9_]+) .*/\1/p" "$header")
request=$(echo "$signature" | sed -E "s/.*virtual int $3\(([A-Za-z0-9_]+) .*/\1/")
answer=$(echo "$signature" | sed -E "s/[^,]*, ([A-Za-z0-9_]+) &.*/\1/")
# shellcheck disable=SC2046
c++ -std=c++17 -w $(pkg-config --cflags gsoap++) -I. -include "$header" -include "$(echo ./*.nsmap)" "-DPROXY=$proxy" \
  "-DOPERATION=$3" "-DREQUEST=$request" "-DREAD=soap_read_$request" "-DANSWER=$answer" "-DWRITE=soap_write_$answer" \
  -o call "$here/call.cpp" ./*.o $(pkg-config --libs gsoap++)
exec ./call "$2" "$4"
