"""A JMeter plan becomes sessions: its order, values of answers, pauses, tables and loops; whatever has no equivalent is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from imported_sessions import (
    GUIDE,
    Imported,
    arguments,
    extractor,
    group,
    guide_shop,
    headers,
    load_folder,
    part,
    plan,
    sampler,
)
from steelyard.base.errors import ImportRefusedError
from steelyard.workload.importing.convert import convert_description

TOKEN = part(
    "JSONPostProcessor",
    "take token",
    JSONPostProcessor__referenceNames="token;who",
    JSONPostProcessor__jsonPathExprs="$.access_token;$['user'].names[0]",
    JSONPostProcessor__match_numbers="1;1",
)
CSRF = part(
    "RegexExtractor",
    "take csrf",
    RegexExtractor__refname="csrf",
    RegexExtractor__regex='(csrf|xsrf)"\\s*:\\s*"([^"]+)"',
    RegexExtractor__template="$2$",
)
PAUSE = part("UniformRandomTimer", "thinking", ConstantTimer__delay="300", RandomTimer__range="700")
SHOP = plan(
    part("CookieManager", "cookies")
    + part(
        "CSVDataSet",
        "users",
        filename="people.csv",
        ignoreFirstLine="false",
        variableNames="",
        recycle="false",
        stopThread="true",
    )
    + group(
        "Buyers",
        headers(Authorization="Bearer ${token}")
        + part(
            "OnceOnlyController",
            "first",
            "",
            sampler(
                "log in", "/login", "POST", TOKEN + headers(Content_Type="application/json"), raw='{"user": "${name}"}'
            ),
        )
        + part(
            "TransactionController",
            "buy",
            "",
            sampler("see cart", "/carts/${who}?of=${name}", below=CSRF + PAUSE)
            + part("TestAction", "wait", ActionProcessor__action="1", ActionProcessor__duration="500")
            + sampler("add", "/items", "POST", csrf="${csrf}", item="book of ${name}", at="${__UUID}"),
        )
        + part(
            "LoopController",
            "twice",
            "",
            sampler(
                "look", "/items/${__Random(1,9)}", below=part("JSR223PreProcessor", "script", script="new File('ran')")
            ),
            LoopController__loops="2",
        ),
        users=6,
        ThreadGroup__on_sample_error="startnextloop",
        ThreadGroup__scheduler="true",
        ThreadGroup__duration="60",
    )
    + group(
        "Lookers",
        sampler("home", "/${start}") + sampler("search", "/search?t=${__time(yyyy-MM-dd'T'HH:mm:ss)}"),
        users=2,
    ),
    start="index.html",
)


def imported(text: str, folder: Path) -> Imported:
    (folder / "people.csv").write_text("name,age\nann,7\nbob,8\n")
    return Imported(text, folder, "shop.jmx")


def test_thread_groups_are_sessions_with_their_order_values_pauses_and_weights(tmp_path: Path) -> None:
    shop = imported(SHOP, tmp_path)
    assert [(one.session, one.steps) for one in shop.outcome.sessions] == [
        ("Buyers", ["log-in (once)", "see-cart", "add", "look", "look-2"]),
        ("Lookers", ["home", "search"]),
    ]
    buyers = shop.file["sessions"]["Buyers"]
    assert (buyers["weight"], shop.file["sessions"]["Lookers"]["weight"]) == (6, 2)
    assert buyers["data_end"] == "stop" and "on_failure" not in buyers
    assert shop.file["sessions"]["Lookers"]["on_failure"] == "continue"
    steps = shop.steps("Buyers")
    assert steps["log-in"]["captures"] == {
        "token": {"kind": "json", "path": ["access_token"]},
        "who": {"kind": "json", "path": ["user", "names", 0]},
    }
    assert steps["see-cart"]["captures"]["csrf"]["expression"] == '(?:csrf|xsrf)"\\s*:\\s*"([^"]+)"'
    # A timer stands before its request, the pause of a step after its answer.
    assert steps["log-in"]["think"] == {"kind": "uniform", "ms": 300, "to_ms": 1000}
    assert steps["see-cart"]["think"] == {"kind": "constant", "ms": 500}
    assert "think" not in steps["add"] and "think" not in steps["look"]
    assert steps["look-2"]["think"] == steps["log-in"]["think"], "see-cart is the next request of the next round"
    load = shop.load()
    assert load.weights == {"Buyers": 6.0, "Lookers": 2.0}
    assert load.sessions["Buyers"].rows[0]["name"] == "ann"


def test_what_a_load_sends_has_the_places_of_the_plan(tmp_path: Path) -> None:
    shop = imported(SHOP, tmp_path)
    login, cart, add, look, again = shop.sent("Buyers")
    assert login.bodies == [b'{"user": "{{name:json}}"}'] and "Authorization" not in login.headers
    assert cart.path == "/carts/{{who}}?of={{name:url}}" and cart.headers["Authorization"] == "Bearer {{token}}"
    assert add.bodies == [b"csrf={{csrf:url}}&item=book+of+{{name:url}}&at={{uuid:url}}"]
    assert add.expect.status == [200, 201, 202, 203, 204, 205, 206]
    assert look.path == "/items/{{random_1_9}}" and look.path == again.path
    home, search = shop.sent("Lookers")
    assert (home.path, search.path) == ("/index.html", "/search?t={{time:url}}")


def test_the_summary_names_what_is_taken_and_what_is_not(tmp_path: Path) -> None:
    shop = imported(SHOP, tmp_path)
    assert "JSR223PreProcessor 'script': a script or a program" in shop.left
    assert (
        "header Authorization of sampler 'log in'" in shop.left and "${token} is in the answer of a later" in shop.left
    )
    assert "--users 6 --for 60s" in shop.notes and "all thread groups together: `steelyard load --users 8" in shop.notes
    assert "defaults: host=127.0.0.1" in shop.notes and "1 transaction controller" in shop.notes
    assert not list(tmp_path.rglob("ran"))


def one_group(*below: str) -> str:
    return plan(group("g", "".join(below)))


def capturing(taken: str, body: str = "") -> str:
    """A plan whose second request needs the variable `x` that `taken` below the first sets."""
    return one_group(sampler("first", "/first", below=taken), sampler("second", "/second", "POST", x="${x}"), body)


@pytest.mark.parametrize(
    ("taken", "capture"),
    [
        (
            extractor("JSONPostProcessor", referenceNames="x", jsonPathExprs="$.a[*].id", match_numbers="2"),
            {"kind": "json", "path": ["a", 1, "id"]},
        ),
        (
            extractor("JSONPostProcessor", referenceNames="x", jsonPathExprs="$..id"),
            {"kind": "regex", "expression": '"id"\\s*:\\s*"([^"\\\\]+)"'},
        ),
        (
            extractor("JMESPathExtractor", "JMESExtractor", referenceName="x", jmesPathExpression="a.b[0]"),
            {"kind": "json", "path": ["a", "b", 0]},
        ),
        (
            extractor("RegexExtractor", refname="x", regex='{"id":(\\d+)', template="$0$"),
            {"kind": "regex", "expression": '\\{"id":(?:\\d+)'},
        ),
        (
            extractor("RegexExtractor", refname="x", regex="Set-Cookie: sid=(.+?);", useHeaders="true"),
            {"kind": "cookie", "name": "sid"},
        ),
        (
            extractor("RegexExtractor", refname="x", regex="X-Next: (.*)", useHeaders="true"),
            {"kind": "header", "name": "X-Next"},
        ),
        (
            extractor("BoundaryExtractor", refname="x", lboundary="id=(", rboundary=")"),
            {"kind": "regex", "expression": "id=\\((?s:(.*?))\\)"},
        ),
        (
            extractor("XPathExtractor", refname="x", xpathQuery="/s:Envelope/s:Body/a/text()"),
            {"kind": "path", "path": "Envelope/Body/a"},
        ),
        (
            extractor("XPath2Extractor", "XPathExtractor2", refname="x", xpathQuery="/a/b/@id"),
            {"kind": "path", "path": "a/b/@id"},
        ),
    ],
)
def test_extractors_are_captures(taken: str, capture: dict[str, object], tmp_path: Path) -> None:
    made = Imported(capturing(taken), tmp_path, "plan.jmx")
    assert made.steps("g")["first"]["captures"] == {"x": capture}
    assert made.sent("g")[1].bodies == [b"x={{x:url}}"]


@pytest.mark.parametrize(
    ("taken", "why"),
    [
        (extractor("RegexExtractor", refname="x", regex="(?<=a)(b)"), "lookaround"),
        (extractor("RegexExtractor", refname="x", regex="(a)(b)", template="$1$-$2$"), "joins several groups"),
        (extractor("RegexExtractor", refname="x", regex="(a)", match_number="2"), "another match than the first"),
        (
            extractor("RegexExtractor", refname="x", regex="Location: .*id=(.*)", useHeaders="true"),
            "part of the answer's head",
        ),
        (
            extractor("JSONPostProcessor", referenceNames="x", jsonPathExprs="$.a", match_numbers="-1"),
            "takes all matches",
        ),
        (
            extractor("JSONPostProcessor", referenceNames="x", jsonPathExprs="$.a[?(@.b)].c"),
            "more than keys and indexes",
        ),
        (extractor("XPathExtractor", refname="x", xpathQuery="count(//a)"), "more than names"),
    ],
)
def test_an_extractor_without_equivalent_is_named_and_so_is_the_request_that_needs_it(
    taken: str, why: str, tmp_path: Path
) -> None:
    made = Imported(capturing(taken, sampler("third", "/third")), tmp_path, "plan.jmx")
    assert why in made.left and "sampler 'second'" in made.left and "in a way that is not imported" in made.left
    assert list(made.steps("g")) == ["first", "third"]


def test_conditions_loops_and_other_groups_that_a_session_lacks_are_named(tmp_path: Path) -> None:
    two = sampler("a", "/a") + sampler("b", "/b")
    made = Imported(
        plan(
            part("SetupThreadGroup", "before", "", sampler("prepare", "/prepare"))
            + group(
                "g",
                sampler("start", "/start")
                + part("IfController", "sometimes", "", two, IfController__condition='"${x}" == "1"')
                + part("IfController", "always", "", sampler("c", "/c"), IfController__condition="${JMeterThread.last_sample_ok}")
                + part("ForeachController", "each", "", two)
                + part("WhileController", "until", "", sampler("poll", "/poll"))
                + part("LoopController", "many", "", sampler("d", "/d"), LoopController__loops="${n}")
                + part("OnceOnlyController", "late", "", sampler("e", "/e")),
            )
        ),
        tmp_path,
        "plan.jmx",
    )  # fmt: skip
    assert list(made.steps("g")) == ["start", "c", "poll", "d", "e"]
    assert "SetupThreadGroup 'before' with 1 request: it runs once before the load" in made.left
    assert "IfController 'sometimes' with 2 requests: a session has only conditions of captured values" in made.left
    assert (
        "ForeachController 'each' with 2 requests" in made.left
        and "its condition; its requests are sent once" in made.left
    )
    assert "LoopController 'many': it has no fixed number of loops" in made.left
    assert "once only: 1 request of g: requests made once come first" in made.left


def test_timers_of_a_group_stand_before_each_request(tmp_path: Path) -> None:
    gaussian = part("GaussianRandomTimer", "bell", ConstantTimer__delay="1000", RandomTimer__range="100")
    steps = (
        part("ConstantTimer", "still", ConstantTimer__delay="50")
        + sampler("a", "/a")
        + sampler("b", "/b", below=gaussian)
    )
    made = Imported(one_group(steps), tmp_path, "plan.jmx")
    assert made.steps("g")["a"]["think"] == {"kind": "uniform", "ms": 877, "to_ms": 1223}
    assert made.steps("g")["b"]["think"] == {"kind": "constant", "ms": 50}
    assert "GaussianRandomTimer 'bell': drawn uniformly" in made.notes


def test_a_request_that_depends_on_nothing_stays_an_operation(tmp_path: Path) -> None:
    timer = part("ConstantTimer", "still", ConstantTimer__delay="50")
    made = Imported(one_group(timer, sampler("a", "/a")), tmp_path, "plan.jmx")
    assert "sessions" not in made.file and made.outcome.sessions == [] and "--think 50ms" in made.notes


def test_cookies_of_each_iteration_are_those_of_new_visitors(tmp_path: Path) -> None:
    cookies = part("CookieManager", "c", CookieManager__clearEachIteration="true")
    made = Imported(one_group(cookies, sampler("a", "/a"), sampler("b", "/b")), tmp_path, "plan.jmx")
    assert made.file["sessions"]["g"]["new_visitor"] is True and made.load().sessions["g"].session.new_visitor


def test_a_server_that_only_the_command_line_knows_is_named_by_target(tmp_path: Path) -> None:
    below = group("g", sampler("a", "/a") + sampler("b", "/b?x=${__urlencode(a b)}"))
    text = plan(below).replace("host,127.0.0.1", "host")
    with pytest.raises(ImportRefusedError, match=r"nothing says which server \{\{host\}\} is: name it with --target"):
        Imported(text, tmp_path, "plan.jmx")
    made = Imported(text, tmp_path, "plan.jmx", target="http://127.0.0.1:9")
    assert [step.path for step in made.sent("g")] == ["/a", "/b?x=a+b"] and made.file["target"] == "http://127.0.0.1:9"


def test_a_plan_for_the_guides_shop_breaks_no_rule_of_it(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text((GUIDE / "users.csv").read_text())
    token = extractor("JSONPostProcessor", referenceNames="token", jsonPathExprs="$.token", match_numbers="1")
    form = extractor("BoundaryExtractor", refname="form", lboundary='"form": "', rboundary='"')
    login = sampler("log in", "/login", "POST", token, raw='{"user": "${user}", "password": "${password}"}')
    pause = part("ConstantTimer", "still", ConstantTimer__delay="50")
    buy = sampler("cart", "/cart", below=form) + sampler(
        "add", "/items", "POST", form="${form}", item="book of ${user}"
    )
    table = part("CSVDataSet", "users", filename="people.csv", ignoreFirstLine="false", variableNames="")
    below = headers(Authorization="Bearer ${token}") + login + buy + sampler("order", "/orders", "POST")
    with guide_shop() as (address, counts):
        text = plan(table + group("Buyers", pause + below)).replace(">8080<", f">{address.rpartition(':')[2]}<")
        shop = Imported(text, tmp_path, "shop.jmx")
        with (shop.folder / "service.toml").open("a") as file:
            file.write(f'\n[data.secret_password]\nkind = "csv"\nfile = "{GUIDE}/users.csv"\ncolumn = "password"\n')
        outcome = load_folder(tmp_path, "./mine", "--users", "5", "--for", "2s", "--writes")
    (session,) = outcome["sessions"]
    assert counts["violations"] == 0 and 5 < session["completed"] <= counts["orders"] and outcome["failed"] == 0


def module(name: str, *path: str) -> str:
    """A module controller that names a part of the plan by its path."""
    named = "".join(f'<stringProp name="{number}">{each}</stringProp>' for number, each in enumerate(path))
    return part("ModuleController", name, f'<collectionProp name="ModuleController.node_path">{named}</collectionProp>')


FRAGMENT = part(
    "TestFragmentController", "shared", "", part("TransactionController", "buy", "", sampler("pay", "/pay"))
)


def test_what_is_disabled_has_no_effect_and_is_counted(tmp_path: Path) -> None:
    table = part("CSVDataSet", "people", filename="people.csv", recycle="false", stopThread="true")
    changed = part("Arguments", "other", arguments("Argument", place="/old"))
    off = group("off", table + changed + sampler("gone", "/gone"))
    on = group("on", sampler("look", "${place}") + sampler("buy", "/buy", "POST"))
    text = plan(off.replace("<ThreadGroup ", '<ThreadGroup enabled="false" ') + on, place="/new")
    made = imported(text, tmp_path)
    assert made.file["operations"]["look"]["path"] == "/new" and list(made.steps("on")) == ["look", "buy"]
    assert "data" not in made.file and "data_end" not in made.file["sessions"]["on"]
    assert "ThreadGroup 'off' with 1 request: it is disabled" in made.left


def test_a_module_controller_sends_the_part_that_it_names(tmp_path: Path) -> None:
    first = group("g", sampler("see", "/see") + module("all", "Test Plan", "plan", "shared"))
    second = group("h", module("pay only", "Test Plan", "plan", "shared", "buy") + sampler("leave", "/leave"))
    made = Imported(plan(FRAGMENT + first + second), tmp_path, "plan.jmx")
    assert (list(made.steps("g")), list(made.steps("h"))) == (["see", "pay"], ["pay", "leave"])
    assert "Controller" not in made.left


def test_a_fragment_that_nothing_includes_and_a_module_without_a_part_are_named(tmp_path: Path) -> None:
    itself = part("TestFragmentController", "ring", "", module("again", "Test Plan", "plan", "ring"))
    steps = (
        sampler("see", "/see") + module("lost", "Test Plan", "plan", "gone") + module("in", "Test Plan", "plan", "ring")
    )
    made = Imported(plan(FRAGMENT + itself + group("g", steps)), tmp_path, "plan.jmx")
    assert made.outcome.taken == ["see"]
    assert "TestFragmentController 'shared' with 1 request: a fragment is sent only where it is included" in made.left
    assert "ModuleController 'lost': it names no part of the plan" in made.left
    assert "ModuleController 'again': it includes itself" in made.left


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_plan_is_read_in_the_encodings_that_windows_saves(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "plan.jmx").write_bytes(plan(group("g", sampler("see", "/see"))).encode(encoding))
    assert convert_description(str(tmp_path / "plan.jmx"), tmp_path / "mine", ()).taken == ["see"]


def test_a_body_of_a_get_stays_a_body_and_an_argument_without_a_name_is_not_sent(tmp_path: Path) -> None:
    steps = sampler("search", "/search", raw='{"q": 1}') + sampler("list", "/list", **{"": "ignored", "page": "2"})
    made = Imported(plan(group("g", steps)), tmp_path, "plan.jmx")
    search, listed = made.sent("g")
    assert (search.method, search.path, search.bodies) == ("GET", "/search", [b'{"q": 1}'])
    assert (listed.method, listed.path) == ("GET", "/list?page=2")


@pytest.mark.parametrize(
    "condition",
    [
        "${__groovy(vars.get('csrf') != null)}",
        "${__groovy(!(vars.get('csrf') ?: '').isEmpty())}",
        '${__jexl3("${csrf}" != "")}',
        '"${csrf}" != "${csrf}"'.replace('!= "$', '!= "\\$'),
        "'${csrf}' != ''",
    ],
)
def test_a_condition_that_a_value_was_captured_is_one_of_the_session(tmp_path: Path, condition: str) -> None:
    page = part("IfController", "more", "", sampler("page", "/page/${csrf}"), IfController__condition=condition)
    loop = part("LoopController", "all", "", page, LoopController__loops="2")
    made = Imported(plan(group("g", sampler("list", "/list", below=CSRF) + loop)), tmp_path, "plan.jmx")
    steps = made.file["sessions"]["g"]["steps"]
    assert [step.get("if_captured") for step in steps] == [None, "csrf", "csrf"]
    assert made.load().sessions["g"].session.steps[1].if_captured == "csrf"


def test_a_request_whose_value_another_one_needs_in_any_case_has_no_condition(tmp_path: Path) -> None:
    page = part("IfController", "more", "", sampler("page", "/page/${csrf}"), IfController__condition="'${csrf}' != ''")
    steps = sampler("list", "/list", below=CSRF) + page + sampler("last", "/last/${csrf}")
    made = Imported(plan(group("g", steps)), tmp_path, "plan.jmx")
    assert list(made.steps("g")) == ["list", "last"]
    assert "its condition, a captured csrf, is not one that a session can have" in made.left
    assert made.load().sessions["g"].operations == ["g.list", "g.last"]
