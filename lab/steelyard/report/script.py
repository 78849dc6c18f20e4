"""The page's script, the policy that allows only it, and its data as JSON in the page."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path

from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from ..base.rounding import all_significant

SCRIPT = Path(__file__).with_name("script.js").read_text(encoding="utf-8")


def policy() -> str:
    """The Content-Security-Policy of a page: its own style, the one script by its SHA-256, and no network requests."""
    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def data_block(identifier: str, content: object) -> Markup:
    """A block of JSON that a browser does not run and that no text can break out of; the same content gives the same bytes."""
    text = htmlsafe_json_dumps(all_significant(content), dumps=json.dumps, separators=(",", ":"))
    return Markup('<script type="application/json" id="{}">{}</script>').format(identifier, text)
