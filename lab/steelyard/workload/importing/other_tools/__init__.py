"""Readers of other tools' request files, chosen by content. A new reader is one file, and one line here."""

from .curl_commands import CurlCommands
from .fetch_calls import FetchCalls
from .har import Har
from .http_files import HttpFile
from .imported_requests import Reader
from .jmeter import JMeterPlan
from .postman import PostmanCollection
from .powershell import PowerShellCalls
from .siege_urls import SiegeUrls
from .soapui import SoapUiProject

# The first reader that recognizes a file reads it. Readers of plain text come last, the less strict after the others.
READERS: tuple[Reader, ...] = (
    Har(),
    PostmanCollection(),
    JMeterPlan(),
    SoapUiProject(),
    FetchCalls(),
    PowerShellCalls(),
    HttpFile(),
    CurlCommands(),
    SiegeUrls(),
)
