"""Readers of files that other tools keep requests in, chosen by content; a new one is one file, and one line here."""

from .curl_commands import CurlCommands
from .har import Har
from .imported_requests import Reader
from .jmeter import JMeterPlan
from .siege_urls import SiegeUrls
from .soapui import SoapUiProject

# The first that knows a file reads it: lines of text are tried last, those of the looser form after the others.
READERS: tuple[Reader, ...] = (Har(), JMeterPlan(), SoapUiProject(), CurlCommands(), SiegeUrls())
