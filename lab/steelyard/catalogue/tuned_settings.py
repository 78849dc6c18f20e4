"""The papers' tuning lists with the nearest settings of today's servers."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..base import configuration
from ..base.errors import ConfigurationError
from ..models.server import Server
from ..models.strict import Strict
from ..models.tuning_lists import KnownSetting, SettingNames, TuningList
from . import entries

ALL = "*"
_FACTOR = re.compile(r"factor (\w+): ([^;,)]+)")


class TunedRow(Strict):
    """A paper's setting, and each subject's nearest setting (one answer under the label ALL where it is not a server's)."""

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
    rows: list[TunedRow]


def settings() -> dict[str, KnownSetting]:
    """The settings that papers tune, by their names in all lists and descriptors; raises ConfigurationError."""
    return configuration.load(entries.tuning_settings_file(), SettingNames).settings


def papers() -> dict[str, TuningList]:
    """Every paper's list by study; raises ConfigurationError where a list names an unknown setting."""
    known = settings()
    by_study = {}
    for name, path in entries.tuning_files().items():
        by_study[name] = configuration.load(path, TuningList)
        for tuned in by_study[name].tuned:
            if tuned.setting not in known:
                near = configuration.nearest(tuned.setting, sorted(known))
                raise ConfigurationError(f"{path}: unknown setting '{tuned.setting}'{near}")
    return by_study


def table(study: str, subjects: Mapping[str, tuple[Server, Mapping[str, str]]]) -> Table | None:
    """The paper's list with the nearest settings of its subjects (server and factors, by label); None where it has no list."""
    paper = papers().get(study)
    if paper is None:
        return None
    known = settings()
    rows = []
    for tuned in paper.tuned:
        here = known[tuned.setting].here
        rows.append(
            TunedRow(
                setting=tuned.setting,
                product=tuned.product,
                value=f"{tuned.value} {tuned.unit}".strip(),
                words=tuned.words,
                section=tuned.section,
                nearest={label: answer(*subject, tuned.setting) for label, subject in subjects.items()}
                if here is None
                else {ALL: here},
            )
        )
    return Table(paper=f"{paper.paper.authors} {paper.paper.year}", remark=paper.remark, rows=rows)


def answer(server: Server, factors: Mapping[str, str], setting: str) -> str:
    """The server's nearest setting; where it names a factor with a default, the factor's actual value."""
    stated = server.tuning.get(setting, "not said")
    return _FACTOR.sub(lambda match: f"factor {match[1]}: {factors.get(match[1]) or match[2]}", stated)
