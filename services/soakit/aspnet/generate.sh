# Makes the classes of the contract's documents by the platform's own compiler: generate.sh SITE.
set -eu
cd "$(dirname "$0")/../contract"
mkdir -p "$1/obj" "$1/xsd"
# It does not follow schemaLocation, and says so of each: given all files, it knows all types all the same.
if ! xsd order/purchase-order.xsd order/document.xsd order/items.xsd order/terms.xsd order/transport.xsd common/components.xsd common/parties.xsd \
    common/measures.xsd common/trade-codes.xsd common/fields.xsd common/codes.xsd news.xsd buffet.xsd /classes /namespace:Steelyard.Soakit.Contract "/outputdir:$1/xsd" >"$1/xsd/said" 2>&1; then
    cat "$1/xsd/said" >&2
    exit 1
fi
mv "$1"/xsd/*.cs "$1/obj/Contract.cs"
