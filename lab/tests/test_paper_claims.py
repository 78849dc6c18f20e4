"""A paper's claims are judged by intervals: planted ones for each word, and the claims of the five papers against kept runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from kept_runs import KEPT_RUNS
from lxml import html
from pydantic import ValidationError
from steelyard.analyse.analysis import full_analysis
from steelyard.analyse.claims import (
    ClaimAnswer,
    FigureKey,
    ForkValues,
    JudgedClaim,
    answer_sentences,
    answer_text,
    answer_to,
    fork_values,
    judge_claims,
    stored_fork_values,
)
from steelyard.base import paths
from steelyard.base.csvfiles import read_document
from steelyard.catalogue.published_tables import CLAIMS, read_conclusions, stored_conclusions
from steelyard.models.published_conclusions import OwnAnswer, PaperClaim
from steelyard.models.study import Paper
from steelyard.models.verdict import Verdicts
from steelyard.report import claims_page, write_report
from steelyard.report.charts.claims import claims_chart
from steelyard.report.claims_page import PaperClaims
from steelyard.statistics.claims import ClaimWord, judge_claim
from synthetic import Planted, write_run

PAPERS = sorted(path.parent for path in paths.root().glob("papers/*/claims.toml"))
GO = 'subject = "go", cell = "echoStruct", measure = "throughput"'
OF = {"subject": "go", "cell": "echoStruct", "measure": "throughput"}


def claim(**keys: Any) -> PaperClaim:
    about = {"id": "one", "text": "it is so", "place": "section 4711", "kind": "about", "least": 0.9, "most": 1.1}
    return PaperClaim.model_validate({**about, **keys})


@pytest.mark.parametrize(
    ("interval", "word"),
    [
        ((0.95, 1.05), ClaimWord.HOLDS),
        ((0.9, 1.1), ClaimWord.HOLDS),
        ((0.85, 1.05), ClaimWord.UNDECIDED),
        ((1.05, 1.15), ClaimWord.UNDECIDED),
        ((0.5, 2.0), ClaimWord.UNDECIDED),
        (None, ClaimWord.UNDECIDED),
        ((0.5, 0.89), ClaimWord.DOES_NOT_HOLD),
        ((1.11, 1.2), ClaimWord.DOES_NOT_HOLD),
    ],
)
def test_a_claim_holds_by_its_whole_interval(interval: tuple[float, float] | None, word: ClaimWord) -> None:
    assert judge_claim(interval, claim()) is word


@pytest.mark.parametrize(
    ("kind", "bound", "holds", "fails"),
    [("at least", {"least": 2}, (2, 3), (1, 1.9)), ("at most", {"most": 2}, (1, 2), (2.1, 3))],
)
def test_a_claim_of_one_bound_has_no_other_edge(
    kind: str, bound: dict[str, float], holds: tuple[float, float], fails: tuple[float, float]
) -> None:
    one = claim(kind=kind, **{"least": None, "most": None, **bound})
    assert judge_claim(holds, one) is ClaimWord.HOLDS
    assert judge_claim(fails, one) is ClaimWord.DOES_NOT_HOLD


@pytest.mark.parametrize("interval", [None, (0.99, 1.01), (5.0, 6.0)])
def test_a_claim_on_something_else_is_never_judged(interval: tuple[float, float] | None) -> None:
    assert judge_claim(interval, claim(not_comparable="another definition")) is ClaimWord.NOT_COMPARABLE


def test_a_claim_without_a_run_was_not_run() -> None:
    assert judge_claim(None, claim(), ran=False) is ClaimWord.NOT_RUN


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"kind": "at least"}, "'at least' needs 'least' alone"),
        ({"kind": "order"}, "'order' needs 'least' or 'most'"),
        ({"most": None}, "'about' needs 'least' and 'most'"),
        ({"least": 2}, "'least' is 2, above 'most' 1.1"),
        ({"number": 3}, "number 3 is outside of the claim's tolerance"),
        ({"run": "wstest"}, "needs 'ours'"),
        ({"ours": {"of": OF, "by": "ratio"}}, "needs 'than'"),
        ({"ours": {"of": OF, "than": {"subject": "a"}}}, "a value has none"),
        ({"ours": {"of": {"subject": "go", "cell": "c"}}}, "either 'measure' or 'layers'"),
        ({"ours": {"of": {**OF, "share": True}}}, "belong to 'layers'"),
    ],
)
def test_a_claim_that_cannot_be_judged_is_an_error(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        claim(**wrong)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rates = {"go": 200.0, "tomcat-metro": 100.0}
    folder = write_run(tmp_path_factory.mktemp("claims") / "run", Planted(rates=rates, reference="tomcat-metro"))
    one = 'place = "section 4711"\nkind = "about"\nunit = "times"\n'
    ours = f'ours = {{ of = {{ {GO} }}, by = "ratio", than = {{ subject = "tomcat-metro" }} }}\n'
    (folder / CLAIMS).write_text(
        f'[[claims]]\nid = "twice"\ntext = "Go answers twice as much."\n{one}number = 2\nleast = 1.5\nmost = 2.5\n{ours}'
        f'[[claims]]\nid = "thrice"\ntext = "Go answers thrice as much."\n{one}number = 3\nleast = 2.8\nmost = 3.2\n{ours}'
        f'[[claims]]\nid = "other"\ntext = "Nobody ran this."\n{one}number = 7\nleast = 6\nmost = 8\n'
    )
    return folder


def test_a_report_gives_each_claim_its_word(run: Path) -> None:
    page = write_report(run).read_text()
    section = page[page.index('id="paper-claims"') :]
    assert "Of the paper&#39;s 3 claims this run answers 2: 1 holds and 1 does not hold." in section
    numbers = r"[12]\.\d+ times \([\d.]+ to [\d.]+\) here, {} times in the paper\."
    assert re.search("It holds that “Go answers twice as much”: " + numbers.format(2), section)
    assert re.search("Farthest from the paper is “Go answers thrice as much”: " + numbers.format(3), section)
    shown, _, folded = section.partition("1 claim that this run cannot answer")
    assert "Go answers twice as much." in shown and "Nobody ran this." in folded


def answered(run: Path, ours: dict[str, Any], **changed: Any) -> ClaimAnswer | None:
    analysis = full_analysis(run)
    verdicts = analysis.verdicts.model_copy(update=changed)
    return answer_to(OwnAnswer.model_validate(ours), verdicts, fork_values(analysis.figures))


def test_a_ratio_in_one_cell_is_the_comparison_of_the_run_either_way_round(run: Path) -> None:
    there = answered(run, {"of": OF, "by": "ratio", "than": {"subject": "tomcat-metro"}})
    back = answered(run, {"of": {**OF, "subject": "tomcat-metro"}, "by": "ratio", "than": {"subject": "go"}})
    assert there is not None and back is not None and there.interval is not None and back.interval is not None
    assert there.value == pytest.approx(2, rel=0.05) and there.value * (back.value or 0) == pytest.approx(1, rel=1e-4)
    assert there.interval[0] * back.interval[1] == pytest.approx(1, rel=1e-4)


TWO_MEASURES = OwnAnswer.model_validate({"of": OF, "by": "ratio", "than": {"measure": "response_time_mean"}})


def test_a_ratio_of_two_measures_is_taken_fork_by_fork(run: Path) -> None:
    analysis = full_analysis(run)
    keys = [FigureKey("go", "echoStruct", name) for name in ("throughput", "response_time_mean")]
    behind = {
        keys[0]: ForkValues({1: 2.0, 2: 2.2, 3: 1.8, 7: 99.0}, 10),
        keys[1]: ForkValues({1: 1.0, 2: 1.1, 3: 0.9, 4: 50.0}, 10),
    }
    both = answer_to(TWO_MEASURES, analysis.verdicts, behind)
    assert both is not None and both.how == "fork by fork, 3 forks", "forks that have one of both are left out"
    assert both.interval == pytest.approx((2, 2)), "every fork has the same ratio, so it is known exactly"


def test_a_difference_is_taken_fork_by_fork_too(run: Path) -> None:
    ours = OwnAnswer.model_validate({"of": OF, "by": "difference", "than": {"measure": "response_time_mean"}})
    keys = [FigureKey("go", "echoStruct", name) for name in ("throughput", "response_time_mean")]
    behind = {keys[0]: ForkValues({1: 5.0, 2: 7.0}, 10), keys[1]: ForkValues({1: 5.0, 2: 6.0}, 10)}
    found = answer_to(ours, full_analysis(run).verdicts, behind)
    assert found is not None and found.value == pytest.approx(0.5)
    assert found.interval == pytest.approx((0.5 - 12.706 * 0.5, 0.5 + 12.706 * 0.5), rel=1e-3)  # Student's t, 1 degree


def test_a_ratio_of_two_measures_without_common_forks_spans_the_far_ends_of_both_intervals(run: Path) -> None:
    one, other = (answered(run, {"of": {**OF, "measure": name}}) for name in ("throughput", "response_time_mean"))
    both = answer_to(TWO_MEASURES, full_analysis(run).verdicts, {})
    assert one is not None and other is not None and both is not None
    assert one.interval is not None and other.interval is not None
    assert both.interval == pytest.approx((one.interval[0] / other.interval[1], one.interval[1] / other.interval[0]))
    assert both.how == "from the ends of both intervals"


def test_an_invalid_comparison_decides_no_claim(run: Path) -> None:
    analysis = full_analysis(run)
    comparisons = [
        one.model_copy(update={"verdict": None, "why_not": ["the clock jumped"]}) if one.primary else one
        for one in analysis.verdicts.comparisons
    ]
    (twice, *_) = judge_claims(
        stored_conclusions(run).claims, analysis.verdicts.model_copy(update={"comparisons": comparisons}), {}
    )
    assert twice.word is ClaimWord.UNDECIDED and twice.answer is not None
    assert twice.answer.obstacle == "the clock jumped"


def test_what_a_run_has_not_measured_answers_nothing(run: Path) -> None:
    assert answered(run, {"of": {**OF, "cell": "echoVoid of another day"}}) is None
    assert answered(run, {"of": {"subject": "go", "cell": "echoStruct", "layers": ["web"]}}) is None


def test_a_share_without_any_case_has_the_exact_interval_of_its_requests() -> None:
    folder = paths.root() / "papers/soaservers/results/soaservers"
    found = answer_to(
        OwnAnswer.model_validate({"of": {"subject": "tomcat-metro", "cell": "13", "measure": "failed"}}),
        Verdicts.model_validate(read_document(folder / "verdicts.json")),
        {FigureKey("tomcat-metro", "13", "failed"): ForkValues({}, 1000)},
    )
    assert found is not None and found.interval == pytest.approx(
        (0, 0.368), abs=0.001
    )  # Clopper and Pearson's 1 - 0.025^(1/1000)


def test_the_file_of_an_older_run_holds_contradictions_alone(tmp_path: Path) -> None:
    old = '[[claims]]\nsection = "1"\ntest = "1"\ntext = "a"\nfigure = "1"\nmeaning = "b"\nmost = 1\n'
    (tmp_path / CLAIMS).write_text(
        f'{old}[[tried]]\nsection = "1"\ntext = "a"\nfigure = "b"\nmeaning = "c"\nmost = 1\n'
    )
    read = stored_conclusions(tmp_path)
    assert [one.text for one in read.contradicted] == ["a"] and not read.claims


def test_five_papers_have_sixty_claims_or_more() -> None:
    claims = [one for paper in PAPERS for one in read_conclusions(paper / CLAIMS).claims]
    assert [paper.name for paper in PAPERS] == ["flight", "petstore", "soakit", "soaservers", "wstest"]
    assert len(claims) >= 60 and all(one.place and one.text.endswith(".") for one in claims)


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_each_claim_has_the_value_of_its_kept_run_on_the_page(paper: Path) -> None:
    page = (paths.root() / "docs/results/claims.md").read_text()
    rows = dict(re.findall(r"^\| (.*?) \|.* \| (.*?) \| [a-z ]+ \|.*\|$", page, re.MULTILINE))
    claims = read_conclusions(paper / CLAIMS).claims
    for name in sorted({one.run for one in claims}):
        mine = [one for one in claims if one.run == name]
        if not name:
            assert {rows[one.text] for one in mine} <= {""}
            continue
        folder = KEPT_RUNS[name]
        verdicts = Verdicts.model_validate(read_document(folder / "verdicts.json"))
        for each in judge_claims(mine, verdicts, stored_fork_values(folder)):
            assert each.answer is not None, f"{name} has no value for {each.claim.id}"
            shown = answer_text(each.claim, each.answer) or "no value"
            assert rows[each.claim.text] == f"[{shown}](../../{folder.relative_to(paths.root())}/)"
            assert f"| {each.claim.text} |" in page and f" | {each.word} | " in page


def test_a_picture_draws_judged_claims_that_have_a_number_and_no_others(run: Path) -> None:
    analysis = full_analysis(run)
    judged = {
        each.claim.id: each
        for each in judge_claims(stored_conclusions(run).claims, analysis.verdicts, fork_values(analysis.figures))
    }
    picture = claims_chart("x", judged)
    assert picture is not None and [row[0] for row in picture.rows] == ["twice", "thrice"]
    assert [row[-1] for row in picture.rows] == ["holds", "does not hold"]
    assert claims_chart("x", {"other": judged["other"]}) is None


def judged_claims(run: Path) -> list[JudgedClaim]:
    analysis = full_analysis(run)
    return list(judge_claims(stored_conclusions(run).claims, analysis.verdicts, fork_values(analysis.figures)))


def test_the_answer_is_three_sentences_and_names_the_farthest_of_what_does_not_hold(run: Path) -> None:
    twice, thrice, other = judged_claims(run)
    claim = thrice.claim.model_copy(update={"text": "Go answers ten times as much.", "least": 9.0, "most": 11.0})
    farther = JudgedClaim(claim, thrice.answer, ClaimWord.DOES_NOT_HOLD)
    counted, holding, failing = answer_sentences([thrice, farther, twice, other])
    assert counted == "Of the paper's 4 claims this run answers 3: 1 holds and 2 do not hold."
    assert "Go answers twice as much" in holding and "Go answers ten times as much" in failing
    assert answer_sentences([other]) == ["This run answers none of the paper's 1 claim."]
    assert answer_sentences([twice])[-1] == "No claim that it answers was shown not to hold."
    assert answer_sentences([thrice])[1] == "No claim that it answers was shown to hold."
    assert answer_sentences([]) == []


def test_a_report_of_a_paper_opens_with_its_question_its_claims_and_what_differs_since(
    tmp_path: Path, run: Path
) -> None:
    paper = '[paper]\nauthors = "A. Author"\nyear = 2004\ntitle = "An old paper"\n'
    environment = {
        "subjects": {
            "go": [{"title": "Go", "version": "1.24"}],
            "tomcat-metro": [{"title": "Tomcat", "jdk": "JDK 25"}],
        },
        "machine": {"kernel": "Linux 6.1", "memory_bytes": 2**33},
        "network": "loopback",
    }
    planted = Planted(study=f'question = "Which one?"\n{paper}', environment=environment, scale=0.5)
    folder = write_run(tmp_path / "run", planted)
    conclusions = (run / CLAIMS).read_text()
    (folder / CLAIMS).write_text(f'setting = "Tomcat 5 under Windows"\n{conclusions}')
    page = html.document_fromstring(write_report(folder).read_text())
    ids = page.xpath("//section/@id")
    assert ids.index("paper-claims") < ids.index("in-full")
    (section,) = page.xpath("//section[@id='paper-claims']")
    words = " ".join(" ".join(section.itertext()).split())
    differs = "What differs between then and now"
    in_order = ["A. Author, 2004, An old paper: Which one?", "this run answers 2", "Go answers twice as much.", differs]
    places = [words.index(part) for part in in_order]
    assert places == sorted(places)
    _, _, after = words.partition(differs)
    for said in (
        "2004 2026",
        "Tomcat 5 under Windows Go 1.24, Tomcat, JDK 25;",
        "8.0 GiB, Linux 6.1, load over loopback",
    ):
        assert said in after, after[:400]
    assert "as the paper has them scaled by 0.5" in after


def test_the_page_of_all_papers_counts_the_words_and_links_each_run(run: Path) -> None:
    publication = Paper(authors="A. Author", year=2004, title="An old paper")
    twice, thrice, other = judged_claims(run)
    kept = JudgedClaim(twice.claim.model_copy(update={"run": "one"}), twice.answer, twice.word)
    papers = [
        PaperClaims("old", publication, "Tomcat 5", [kept, thrice, other], {"one": "../../papers/old/results/one/"})
    ]
    page = html.document_fromstring(claims_page.html_of(papers))
    known = page.xpath("//@id")
    assert len(known) == len(set(known)) and {"old", "counts"} <= set(known)
    (counts,) = page.xpath("//section[@id='counts']//tbody/tr[th='all']")
    assert [cell.text for cell in counts.findall("td")] == ["3", "1", "1", "0", "0", "1"]
    rows = page.find_class("claims")[0].findall("tbody/tr")
    assert [row.find("th").text for row in rows] == [each.claim.text for each in (kept, thrice, other)]
    assert page.xpath("//table[@class='claims sortable']//a/@href") == ["../../papers/old/results/one/"]
    assert page.xpath("//section[@id='old']//div[@role='img']"), "a picture of the paper"


def test_the_committed_page_is_no_wider_than_a_small_window_and_runs_only_its_own_script(chromium: Any) -> None:
    path = paths.root() / "docs/results/claims.html"
    said: list[str] = []
    page = chromium.new_page(viewport={"width": 400, "height": 900})
    page.on("console", lambda message: said.append(message.text))
    page.goto(path.as_uri(), timeout=120_000)
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    wide = "[...document.querySelectorAll('.claims')].filter(one => one.scrollWidth > 400).length"
    assert page.evaluate(wide) == 0, "a claim is a block there, not a row that is scrolled"
    assert page.locator(".claims tbody tr").count() >= 60 and not said
    page.close()
