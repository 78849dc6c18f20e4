# Asks an operation by what svcutil made: call.sh MADE ADDRESS OPERATION REQUEST.
set -eu
mcs -nologo -r:System.ServiceModel,System.Runtime.Serialization,System.Xml "-out:$1/call.exe" WcfCall.cs
exec mono "$1/call.exe" "$1/client.dll" "$2" "$3" "$4"
