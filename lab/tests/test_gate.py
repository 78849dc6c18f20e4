"""The gate says no regression, regression or cannot tell, and says every change in one direction: NEW against OLD."""

from xml.etree import ElementTree

import pytest
from steelyard.commands import gate, gate_files
from steelyard.commands.gate import Gate, GateReport
from steelyard.models.verdict import Comparison, FailureGap, Verdicts, Word

MARGIN = 0.05


def comparison(
    word: Word | None, ratio: float, interval: tuple[float, float] | None, measure: str = "throughput", **more: object
) -> Comparison:
    """A comparison of new with old on one operation, primary unless `more` says otherwise."""
    values = {
        "a": "new",
        "b": "old",
        "cell": "search",
        "operation": "search",
        "confidence": 0.95,
        "forks": 4,
        "pairs": 40,
        "voided_pairs": 0,
        "measure": measure,
        "unit": "",
        "primary": True,
        "verdict": word,
        "ratio": ratio,
        "interval": interval,
    }
    return Comparison.model_validate({**values, **more})


def report(
    word: Word | None, ratio: float = 0.88, interval: tuple[float, float] | None = (0.84, 0.92), *, valid: bool = True
) -> GateReport:
    """The report on one judged comparison, with a median response time beside it."""
    beside = comparison(None, 1.2, (1.1, 1.3), "response_time_p50", primary=False)
    verdicts = Verdicts(
        run="r",
        valid=valid,
        why_not=[] if valid else ["Little's law is off"],
        sentence="No verdict: Little's law is off.",
        status="complete",
        comparisons=[beside, comparison(word, ratio, interval)],
    )
    return gate.report_of(verdicts, MARGIN)


@pytest.mark.parametrize(
    ("word", "valid", "answer"),
    [
        ("slower", True, Gate.REGRESSION),
        ("faster", True, Gate.NO_REGRESSION),
        ("equivalent", True, Gate.NO_REGRESSION),
        ("undecided", True, Gate.CANNOT_TELL),
        ("unconfirmed", True, Gate.CANNOT_TELL),
        ("too few forks", True, Gate.CANNOT_TELL),
        (None, True, Gate.CANNOT_TELL),
        ("slower", False, Gate.CANNOT_TELL),
        ("equivalent", False, Gate.CANNOT_TELL),
    ],
)
def test_the_answer_follows_the_verdict_and_the_instrument(word: Word | None, valid: bool, answer: Gate) -> None:
    assert report(word, valid=valid).answer is answer


def test_the_exit_codes_are_those_that_the_documents_promise() -> None:
    assert [int(answer) for answer in (Gate.NO_REGRESSION, Gate.REGRESSION, Gate.CANNOT_TELL)] == [0, 1, 2]


@pytest.mark.parametrize(
    ("word", "ratio", "interval", "sentence"),
    [
        (
            *("slower", 0.88, (0.84, 0.92)),
            "new is 12% slower than old on search, by throughput (95% interval 8% to 16% slower; ",
        ),
        (
            *("faster", 1.03, (1.01, 1.05)),
            "new is 3% faster than old on search, by throughput (95% interval 1% to 5% faster; ",
        ),
        (
            *("faster", 13.0, (12.0, 14.0)),
            "new is faster than old on search: it has 13 times the throughput (95% interval 12.0 to 14.0 times; ",
        ),
        (
            *("equivalent", 0.99, (0.97, 1.02)),
            "new is as fast as old on search within the margin of 5%: it measured 1% slower, by throughput "
            "(95% interval 2% faster to 3% slower; ",
        ),
        (
            *("undecided", 0.95, (0.88, 1.02)),
            "Cannot tell whether new is slower than old on search: it measured 5% slower, by throughput "
            "(95% interval 2% faster to 12% slower; ",
        ),
        (
            *("too few forks", 0.88, None),
            "Too few forks to tell whether new is slower than old on search: it measured 12% slower, by throughput (",
        ),
    ],
)
def test_the_sentence_is_about_new(
    word: Word, ratio: float, interval: tuple[float, float] | None, sentence: str
) -> None:
    written = report(word, ratio, interval).sentence
    assert written.startswith(sentence)
    assert written.endswith("4 forks, 40 pairs).")


def test_a_longer_response_time_is_slower_too() -> None:
    verdicts = report("slower").verdicts
    slow = comparison("slower", 1.12, (1.08, 1.16), "response_time_p99")
    written = gate.report_of(verdicts.model_copy(update={"comparisons": [slow]}), MARGIN)
    (change,) = written.changes
    assert change.record().worse_percent == pytest.approx(12)
    assert change.record().interval == pytest.approx((8, 16))
    assert written.sentence.startswith("new is 12% slower than old on search, by ")


def test_a_subject_that_fails_more_often_is_a_regression_and_the_sentence_says_so() -> None:
    gap = FailureGap(sentence="new failed on 2% of requests, old on none", a_share=0.02, b_share=0.0)
    verdicts = report("equivalent").verdicts
    failing = comparison("equivalent", 1.0, (0.99, 1.01), failures_differ=gap)
    written = gate.report_of(verdicts.model_copy(update={"comparisons": [failing]}), MARGIN)
    assert written.answer is Gate.REGRESSION
    assert written.sentence.endswith(" new failed on 2% of requests, old on none.")


def test_without_a_valid_instrument_the_reason_is_the_sentence() -> None:
    assert report("slower", valid=False).sentence == "No verdict: Little's law is off."


@pytest.mark.parametrize(
    "text", ["\x1b[31mred\x1b[0m", "a\0b", "\ufffe", "\udc80", "\x0b\x1f", ']]>&"<\r\n\t\N{EM DASH}\U0001f600']
)
def test_junit_is_xml_whatever_a_server_printed(text: str) -> None:
    verdicts = report("slower").verdicts
    failing = comparison("slower", 0.88, (0.84, 0.92), why_not=[f"it printed {text}!"])
    printed = gate.report_of(verdicts.model_copy(update={"comparisons": [failing]}), MARGIN)
    failure = ElementTree.fromstring(gate_files.junit(printed).encode()).find("testcase/failure")
    assert failure is not None
    kept = "".join(char if char in "\r\n\t" or char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    assert str(failure.get("message")).endswith(f"It printed {kept}!.")


@pytest.mark.parametrize(
    ("word", "failures", "errors"),
    [("slower", "1", "0"), ("faster", "0", "0"), ("equivalent", "0", "0"), ("undecided", "0", "1"), ("too few forks", "0", "1")],
)  # fmt: skip
def test_junit_counts_a_regression_as_failure_and_doubt_as_error(word: Word, failures: str, errors: str) -> None:
    suite = ElementTree.fromstring(gate_files.junit(report(word)).encode())
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("1", failures, errors)
    assert len(suite.findall("testcase/failure")) == int(failures)
    assert len(suite.findall("testcase/error")) == int(errors)


def test_junit_has_the_same_sentence_and_figures() -> None:
    written = report("slower")
    failure = ElementTree.fromstring(gate_files.junit(written).encode()).find("testcase/failure")
    assert failure is not None and failure.get("message") == written.sentence
    assert failure.text == "Throughput: 12% slower (95% interval 8% to 16% slower; 4 forks, 40 pairs)"


def test_the_summary_leads_with_the_answer_and_marks_secondary_measures() -> None:
    text = gate_files.summary(report("slower"))
    assert text.startswith("### steelyard check: regression\n\nnew is 12% slower than old on search, by throughput ")
    assert "new against old:" in text
    assert "| search | Throughput | 12% slower | 8% to 16% slower | slower |" in text
    assert "| search | Median response time | 20% higher | 10% to 30% higher | secondary |" in text
