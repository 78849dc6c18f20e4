"""The body formats of services (`meaning` in service.toml) by name; a new format is one file, and one line here."""

from ...catalogue.entries import Entry
from ...models.service import Service
from ..body_format import BodyFormat
from .grpc import Grpc
from .html_places import HtmlPlaces
from .json_values import JsonValues
from .mtom import Mtom
from .protected import Encrypted, Signed, SignedEncrypted
from .raw_bytes import RawBytes
from .rmi_values import RmiValues
from .soap import Soap, Soap12
from .soap_schema import SoapSchema

MEANINGS: dict[str, type[BodyFormat]] = {
    "soap": Soap,
    "soap12": Soap12,
    "mtom": Mtom,
    "signed": Signed,
    "encrypted": Encrypted,
    "signed-encrypted": SignedEncrypted,
    "soap-schema": SoapSchema,
    "json": JsonValues,
    "html": HtmlPlaces,
    "bytes": RawBytes,
    "grpc": Grpc,
    "rmi": RmiValues,
}


def meaning_of(service: Entry[Service]) -> BodyFormat:
    """A new BodyFormat of the service's kind; it checks answers and remembers their wildcard values."""
    return MEANINGS[service.model.meaning](service)
