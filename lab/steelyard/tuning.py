"""The papers' tuning lists beside the nearest settings of today's servers."""

from __future__ import annotations

from collections.abc import Mapping

from . import catalogue, configuration
from .errors import ConfigurationError
from .models.server import Server
from .models.strict import Strict
from .models.tuning import Setting, Settings, TuningList

ALL = "*"


class Row(Strict):
    """What a paper set, and each subject's nearest setting (one answer under the label ALL where it is not a server's)."""

    setting: str
    product: str
    value: str
    words: str
    section: str
    nearest: dict[str, str]


class Table(Strict):
    """A paper's tuning list for the subjects of a run, as environment.json keeps it."""

    paper: str
    remark: str
    rows: list[Row]


def settings() -> dict[str, Setting]:
    """The names that all lists share; raises ConfigurationError."""
    return configuration.load(catalogue.tuning_files()["settings"], Settings).settings


def papers() -> dict[str, TuningList]:
    """Every paper's list by its study; raises ConfigurationError where one names a setting that is not among `settings()`."""
    known = settings()
    found = {}
    for name, path in catalogue.tuning_files().items():
        if name == "settings":
            continue
        found[name] = configuration.load(path, TuningList)
        for tuned in found[name].tuned:
            if tuned.setting not in known:
                near = configuration.nearest(tuned.setting, sorted(known))
                raise ConfigurationError(f"{path}: unknown setting '{tuned.setting}'{near}")
    return found


def table(study: str, servers: Mapping[str, Server]) -> Table | None:
    """The list of the study's paper beside the answers of its subjects' servers, by label; None where it has no list."""
    found = papers().get(study)
    if found is None:
        return None
    known = settings()
    rows = []
    for tuned in found.tuned:
        here = known[tuned.setting].here
        rows.append(
            Row(
                setting=tuned.setting,
                product=tuned.product,
                value=f"{tuned.value} {tuned.unit}".strip(),
                words=tuned.words,
                section=tuned.section,
                nearest={label: server.tuning.get(tuned.setting, "not said") for label, server in servers.items()}
                if here is None
                else {ALL: here},
            )
        )
    return Table(paper=f"{found.paper.authors} {found.paper.year}", remark=found.remark, rows=rows)
