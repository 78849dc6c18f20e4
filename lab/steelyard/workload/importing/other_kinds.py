"""Kinds of documents by their content: those that describe a service, and those that `import` names without reading them."""

from __future__ import annotations

import re
from dataclasses import dataclass

_RECORD = "`steelyard record --to http://HOST:PORT` records the requests that it sends, as a service folder"
_JUDGE = "`steelyard judge FILE` reads results of load tools"
_ADDRESS = "give the description's own address: it often ends in ?wsdl, /openapi.json or /v3/api-docs"
_AS_OPENAPI = "export or convert it as OpenAPI 3"
_EXPORT = "export its requests as a HAR file, as an OpenAPI document, or as a Postman collection v2.1"

VERSION = re.compile(r"""(?m)^["']?(openapi|swagger|asyncapi)["']?[ \t]*:""")
PROTO = re.compile(r"""(?m)^\s*syntax\s*=\s*["']proto[23]["']\s*;|^\s*edition\s*=\s*["']\d{4}["']\s*;""")
GRAPHQL = re.compile(
    r"(?m)^(?:schema[ \t]*(?:@[^\n{]*)?\{|extend[ \t]+schema\b"
    r"|(?:extend[ \t]+)?(?:type|interface|input|enum)[ \t]+\w+[ \t]*(?:implements\b[^\n:]*|@[^\n]*)?\{)"
)


@dataclass(frozen=True)
class NotImported:
    """A kind of document: its `title` with an article, the pattern that shows it, and what to do `instead`."""

    title: str
    pattern: re.Pattern[str]
    instead: str


def _kind(title: str, pattern: str, instead: str) -> NotImported:
    return NotImported(title, re.compile(pattern, re.MULTILINE), instead)


# By a root element, written as <name>.
OTHER_XML = (
    _kind("a page in HTML", r"^<(?i:html)>$", _ADDRESS),
    _kind("an XML schema", r"^<schema>$", "it describes no operations: import the WSDL that uses it"),
    _kind("a WADL", r"^<application>$", _AS_OPENAPI),
    _kind(
        "a SOAP message", r"^<Envelope>$", "`steelyard load URL --body @FILE` sends it, or import the service's WSDL"
    ),
    _kind("a result of JMeter", r"^<testResults>$", _JUDGE),
    _kind("a plan of Tsung", r"^<tsung>$", _RECORD),
    _kind("an OData description", r"^<Edmx>$", _AS_OPENAPI),
)
# By the beginning of a JSON document that names no version of OpenAPI.
OTHER_VALUES = (
    _kind("a Swagger 1 document", r'"swaggerVersion"\s*:', "convert it to OpenAPI 3"),
    _kind("a Google API discovery document", r'"discovery#', _AS_OPENAPI),
    _kind(
        "a Postman environment", r'"_postman_variable_scope"\s*:', "import the collection; --target names its server"
    ),
    _kind(
        "a Postman collection of another version",
        r'schema\.(get)?postman\.com/(json/)?collection/(?!v2\.[01])|"requests"\s*:\s*\[[\s\S]*"collection(_id|Id)"\s*:',
        "export it as a collection v2.1",
    ),
    _kind("a Postman collection that names no schema", r'"item"\s*:\s*\[', "export it as a collection v2.1"),
    _kind("an export of Insomnia", r'"__export_format"\s*:', _EXPORT),
    _kind("a collection of Hoppscotch", r'\A\[?\s*\{\s*"v"\s*:\s*\d+[\s\S]*"requests"\s*:', _EXPORT),
    _kind(
        "a JSON Schema",
        r'"\$schema"\s*:\s*"https?://json-schema\.org/',
        "it describes no operations: import the OpenAPI 3 document that uses it",
    ),
    _kind("a result of k6", r'\A\{\s*"(type"\s*:\s*"(Metric|Point)"|metrics"\s*:|root_group"\s*:)', _JUDGE),
)
# By lines of a text.
OTHER_TEXTS = (
    _kind(
        "a k6 script",
        r"""^\s*import\b[^\n]*\bfrom\s+["']k6(/[\w/-]+)?["']|\brequire\(\s*["']k6(/[\w/-]+)?["']\s*\)""",
        _RECORD,
    ),
    _kind(
        "a Gatling simulation",
        r"""^\s*import\s+(static\s+)?io\.gatling\b|\bextends\s+Simulation\b|\bfrom\s+["']@gatling\.io/""",
        _RECORD,
    ),
    _kind("a Locust script", r"^\s*(from\s+locust\b|import\s+locust\b)", _RECORD),
    _kind("a script of Artillery", r"^config:[\s\S]*^\s+(target|phases):[\s\S]*^scenarios:", _RECORD),
    _kind("a configuration of Taurus", r"^execution:[\s\S]*^(scenarios|settings|reporting):", _RECORD),
    _kind("a script of Python", r"^\s*(from|import)\s+(requests|httpx|aiohttp|urllib3?)\b", _RECORD),
    _kind(
        "a script of JavaScript",
        r"""^\s*import\b[^\n]*\bfrom\s+["'](axios|node-fetch|undici|got)["']|\brequire\(\s*["'](axios|node-fetch|undici|got|https?)["']""",
        _RECORD,
    ),
    _kind(
        "a document of GraphQL requests",
        r"\A(?:\s*#[^\n]*\n)*\s*(?:query|mutation|subscription|fragment)\b[^\n]*\{",
        "import the server's schema, by its address or from a file",
    ),
    _kind("a RAML document", r"\A#%RAML\b", _AS_OPENAPI),
    _kind("an API Blueprint", r"\AFORMAT:\s*1A\b", _AS_OPENAPI),
    _kind("an export of Insomnia", r"""^type:\s*["']?[\w-]+\.insomnia\.rest/""", _EXPORT),
    _kind("a request of Bruno", r"^meta\s*\{[\s\S]*^(get|post|put|patch|delete|head|options)\s*\{", _EXPORT),
    _kind("a Thrift file", r"^namespace\s+[\w.*]+\s+[\w.]+\s*$[\s\S]*^service\s+\w+", _RECORD),
    _kind("a result of JMeter", r"\AtimeStamp[,;\t]elapsed\b", _JUDGE),
    _kind("a zip archive", r"\APK\x03\x04", "unpack it and import a file of it; `steelyard add` takes a WAR or a jar"),
    _kind("a PDF", r"\A%PDF-", _ADDRESS),
)


def is_another_text(head: str) -> bool:
    """Whether a text is of a kind that may show requests without being a file of them: a description, or a script. What stands
    between fences, as in a page of Markdown, is shown, too."""
    patterns = (VERSION, PROTO, GRAPHQL, *(other.pattern for other in OTHER_TEXTS))
    starts = (match.start() for pattern in patterns for match in pattern.finditer(head))
    return any(head.count("```", 0, start) % 2 == 0 for start in starts)
