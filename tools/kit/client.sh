# Asks the service once at each of its addresses, and holds the values of the answers to the contract's: client.sh [PORT] (8080).
set -eu
cd "$(dirname "$0")/client"
port=${1:-8080}
answered=$(mktemp -d)
trap 'rm -rf "$answered"' EXIT

# The texts of a document, one a line, whatever its prefixes; a document within a text is opened, a number loses idle noughts.
texts() {
  sed -e 's/<?[^>]*?>//' -e 's/&lt;/</g' -e 's/&gt;/>/g' -e 's/&#\(xD\|13\);//g' -e 's/<[^>]*>/\n/g' "$1" | tr -d '\r' |
    sed -E -e 's/^(-?[0-9]+\.[0-9]*[1-9])0+$/\1/' -e 's/^(-?[0-9]+)\.0+$/\1/' -e '/^ *$/d'
}

failed=0
for request in */*/request.xml; do
  address=$(dirname "$request")
  if curl --silent --show-error --max-time 120 --header 'Content-Type: text/xml; charset=utf-8' --header 'SOAPAction: ""' \
    --data-binary "@$request" --output "$answered/xml" "http://127.0.0.1:$port/$address"; then
    texts "$answered/xml" >"$answered/is"
    texts "$address/answer.xml" >"$answered/expected"
    if diff "$answered/expected" "$answered/is" >"$answered/difference"; then
      echo "/$address: right"
      continue
    fi
    cat "$answered/difference" >&2
  fi
  echo "/$address: not right"
  failed=1
done
exit $failed
