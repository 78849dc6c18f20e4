"""Compare result files: each figure relative to the first file, and response times only where failures are alike."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..base.text import ratio_text, value_text
from ..models.outputs.loading import Estimate
from ..models.outputs.other_tools import JudgedFile, JudgeOutput
from ..statistics.proportions import differ_beyond_chance
from .judged import judged_file
from .own_run import is_run, judge_run
from .parts import Selection

ALPHA = 0.01
_NONE = Estimate(value=None)
_NOT_PAIRED = (
    "whether the service caused the difference: the files were not measured in turns, so changes of the "
    "machine are included"
)


def judge(files: Sequence[Path], selection: Selection) -> JudgeOutput:
    """The figures of each file, and of each load and subject of our own runs, and what none of them can show.

    Raises ConfigurationError with file and line, and StoreError for a damaged run.
    """
    judged: list[JudgedFile] = []
    own: list[str] = []
    for file in files:
        if is_run(file):
            run = judge_run(file, selection)
            judged += run.files
            own += [f"{file}: {run.sentence}"] if run.sentence else []
        else:
            judged.append(judged_file(file, selection))
    first, several = judged[0], len(files) > 1
    differ = [_are_alike(each, first) and _failures_differ(each, first) for each in judged]
    sentences = [_difference(each, first) for each, differs in zip(judged, differ, strict=True) if differs]
    return JudgeOutput(
        files=judged,
        ratios=_ratios(judged, differ) if several else {},
        cannot_say=[*([_NOT_PAIRED] if several else []), *_common_questions(judged)],
        compared=[*own, *sentences],
        failures_differ=differ,
    )


def _are_alike(judged: JudgedFile, first: JudgedFile) -> bool:
    """Whether two results may be compared: a run compares its own subjects itself, and two loads ask different questions."""
    return judged.file != first.file and (not judged.load or not first.load or judged.load == first.load)


def _ratios(judged: Sequence[JudgedFile], differ: Sequence[bool]) -> dict[str, list[float | None]]:
    """Each figure relative to the first result's; null where the two are not alike or one has none."""
    first = judged[0]
    alike = [each is first or _are_alike(each, first) for each in judged]
    ratios = {
        "throughput": [
            _ratio(each.throughput_per_s, first.throughput_per_s) if like else None
            for each, like in zip(judged, alike, strict=True)
        ]
    }
    return ratios | {
        name: [
            _ratio(each.response_ms.get(name, _NONE), first.response_ms[name]) if like and not differs else None
            for each, like, differs in zip(judged, alike, differ, strict=True)
        ]
        for name in first.response_ms
    }


def _common_questions(judged: Sequence[JudgedFile]) -> list[str]:
    """The questions that every file leaves open."""
    return [question for question in judged[0].cannot_say if all(question in each.cannot_say for each in judged)]


def _failures_differ(judged: JudgedFile, first: JudgedFile) -> bool:
    totals = judged.completed + judged.failed, first.completed + first.failed
    return differ_beyond_chance(judged.failed, totals[0], first.failed, totals[1], ALPHA)


def _difference(judged: JudgedFile, first: JudgedFile) -> str:
    """The difference in failures, with right answers per second instead of response times."""
    said = (
        f"{judged.file} failed {_share(judged)} and {first.file} failed {_share(first)}: the shares differ beyond chance "
        f"(Fisher's exact test, p < {ALPHA:g}), so their response times are not compared."
    )
    rates = judged.throughput_per_s.value, first.throughput_per_s.value
    if rates[0] is None or rates[1] is None:
        return said
    ratio = f", a ratio of {ratio_text(rates[0] / rates[1])}" if rates[1] else ""
    return f"{said} Right answers per second: {value_text(rates[0])} against {value_text(rates[1])}{ratio}."


def _share(judged: JudgedFile) -> str:
    total = judged.completed + judged.failed
    return f"{judged.failed / total:.2%} of its requests ({judged.failed:,} of {total:,})"


def _ratio(estimate: Estimate, first: Estimate) -> float | None:
    return estimate.value / first.value if estimate.value is not None and first.value else None
