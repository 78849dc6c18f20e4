"""The kinds of results that can be judged, each recognized by the beginning of its file.

A new kind is one file, and one line here.
"""

from .ab import AbSummary
from .ab_times import AbTimes
from .autocannon import AutocannonSummary
from .gatling import GatlingLog
from .gatling_stats import GatlingStats
from .h2load import H2loadSummary
from .h2load_log import H2loadLog
from .hdr_log import HdrLog
from .hey import HeySummary
from .hey_csv import HeyCsv, HeyCsvWithoutStarts
from .jmeter_csv import JMeterCsv
from .jmeter_xml import JMeterXml
from .k6_csv import K6Csv
from .k6_json import K6Json
from .k6_summary import K6Summary
from .locust import LocustHistory, LocustSums
from .oha import OhaSummary
from .oha_csv import OhaCsv
from .reader import ResultReader
from .vegeta import VegetaCsv, VegetaJson
from .vegeta_report import VegetaReport
from .wrk import Wrk2Summary, WrkSummary

READERS: tuple[ResultReader, ...] = (
    *(JMeterXml(), JMeterCsv()),
    *(K6Csv(), K6Json(), K6Summary()),
    *(LocustHistory(), LocustSums()),
    *(GatlingLog(), GatlingStats()),
    *(VegetaJson(), VegetaCsv(), VegetaReport()),
    *(HeyCsv(), HeyCsvWithoutStarts(), HeySummary()),
    *(OhaCsv(), OhaSummary()),
    *(AbTimes(), AbSummary()),
    *(H2loadLog(), H2loadSummary()),
    *(WrkSummary(), Wrk2Summary()),
    AutocannonSummary(),
    HdrLog(),
)
