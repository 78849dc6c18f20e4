"""The kinds of results that can be judged, each recognised by the beginning of its file.

A new kind is one file, and one line here.
"""

from .jmeter_csv import JMeterCsv
from .jmeter_xml import JMeterXml
from .k6_csv import K6Csv
from .k6_json import K6Json
from .locust import LocustHistory, LocustSums
from .reader import ResultReader

READERS: tuple[ResultReader, ...] = (JMeterXml(), JMeterCsv(), K6Csv(), K6Json(), LocustHistory(), LocustSums())
