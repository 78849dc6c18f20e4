# Makes what follows from the contract: the proxy of its WSDL, and an .asmx file for each service that others call: generate.sh SITE.
set -eu
cd "$(dirname "$0")"
site=$1
mkdir -p "$site/obj"
wsdl -nologo -namespace:Steelyard.SoaServers.Contract -out:"$site/obj/Contract.cs" ../contract/soaservers.wsdl ../contract/soaservers.xsd
for address in Left Right $(seq -f Callee%g 16); do
    echo '<%@ WebService Language="C#" Class="Steelyard.SoaServers.CalleeService" %>' >"$site/$address.asmx"
done
cp ../contract/graph.xml "$site"
