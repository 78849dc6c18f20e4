# Asks an operation by what wsdl made: call.sh MADE ADDRESS OPERATION REQUEST.
set -eu
mcs -nologo -r:System.Web.Services,System.Xml "-out:$1/call.exe" AsmxCall.cs
exec mono "$1/call.exe" "$1/client.dll" "$2" "$3" "$4"
