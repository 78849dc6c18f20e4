"""The gate says no regression, regression or cannot tell, and the same in every form."""

from xml.etree import ElementTree

import pytest
from steelyard.commands import gate
from steelyard.commands.gate import Gate
from steelyard.models.verdict import Comparison, Verdicts, Word


def verdicts(word: Word | None, *, valid: bool = True) -> Verdicts:
    common = {
        "a": "new",
        "b": "old",
        "cell": "echoStruct",
        "operation": "echoStruct",
        "confidence": 0.95,
        "forks": 4,
        "pairs": 40,
    }
    judged = Comparison.model_validate(
        {**common, "measure": "throughput", "unit": "requests/s", "primary": True, "verdict": word, "ratio": 0.8,
         "interval": (0.75, 0.85), "voided_pairs": 0}
    )  # fmt: skip
    beside = Comparison.model_validate(
        {**common, "measure": "response_time_p50", "unit": "ms", "primary": False, "verdict": None, "ratio": 1.2,
         "interval": (1.1, 1.3), "voided_pairs": 0}
    )  # fmt: skip
    why_not = [] if valid else ["Little's law is off"]
    return Verdicts(
        run="r",
        valid=valid,
        why_not=why_not,
        sentence="new <is> judged",
        status="complete",
        comparisons=[judged, beside],
    )


@pytest.mark.parametrize(
    ("word", "valid", "found"),
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
def test_the_answer_follows_the_verdict_and_the_instrument(word: Word | None, valid: bool, found: Gate) -> None:
    assert gate.judged(verdicts(word, valid=valid)) is found


def test_the_exit_codes_are_those_that_the_documents_promise() -> None:
    assert [int(one) for one in (Gate.NO_REGRESSION, Gate.REGRESSION, Gate.CANNOT_TELL)] == [0, 1, 2]


@pytest.mark.parametrize(
    "said", ["\x1b[31mred\x1b[0m", "a\0b", "\ufffe", "\udc80", "\x0b\x1f", ']]>&"<\r\n\t\N{EM DASH}\U0001f600']
)
def test_junit_is_xml_whatever_a_server_said(said: str) -> None:
    found = verdicts("slower").model_copy(update={"sentence": f"said {said}!"})
    suite = ElementTree.fromstring(gate.junit(found).encode())
    failure = suite.find("testcase/failure")
    assert failure is not None
    kept = "".join(char if char in "\r\n\t" or char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in said)
    assert failure.get("message") == f"said {kept}!"


@pytest.mark.parametrize(
    ("word", "failures", "errors"),
    [("slower", "1", "0"), ("faster", "0", "0"), ("equivalent", "0", "0"), ("undecided", "0", "1")],
)
def test_junit_counts_a_regression_as_failure_and_doubt_as_error(word: Word, failures: str, errors: str) -> None:
    suite = ElementTree.fromstring(gate.junit(verdicts(word)).encode())
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("1", failures, errors)
    assert len(suite.findall("testcase/failure")) == int(failures)
    assert len(suite.findall("testcase/error")) == int(errors)


def test_the_summary_leads_with_the_answer_and_marks_secondary_measures() -> None:
    text = gate.summary(verdicts("slower"))
    assert text.startswith("### steelyard check: regression\n")
    assert "| new / old | echoStruct | throughput | 0.800 | 0.750 to 0.850 | slower |" in text
    assert "| new / old | echoStruct | response_time_p50 | 1.200 | 1.100 to 1.300 | secondary |" in text
