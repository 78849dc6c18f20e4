"""A GraphQL schema becomes a service: its requests are valid for the library's own executor, and a server answers them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from answering import Reply, answering
from command import steelyard
from graphql import GraphQLSchema, build_schema, graphql_sync, introspection_from_schema
from small_descriptions import import_text, reasons, service_file
from steelyard.base.errors import ImportRefusedError
from steelyard.models.outputs.own_service import ImportOutput
from steelyard.workload.importing.graphql.selections import MOST_FIELDS

SHOP = """
directive @key(fields: String!) on OBJECT
scalar DateTime
scalar Colour
enum Size { SMALL LARGE }
interface Named { name: String! }
type Maker implements Named { name: String!, products: [Product!]! }
type Product implements Named @key(fields: "id") {
  id: ID!, name: String!, price: Float!, size: Size, made: DateTime, colour: Colour, maker: Maker
  related(first: Int!): [Product!]!
  old: String @deprecated
}
type Book { title: String!, pages: Int }
type Film { title: String!, pages: String }
union Medium = Book | Film
input Near { place: String!, within: Float = 1.5, also: [Near!] }
input Order { product: ID!, count: Int!, size: Size!, near: Near!, at: DateTime!, note: String }
type PageInfo { hasNextPage: Boolean! }
type Edge { node: Product!, cursor: String! }
type Connection { edges: [Edge!]!, pageInfo: PageInfo! }
type Query {
  "One product."
  product(id: ID!): Product
  products(first: Int = 10, sizes: [Size!]!): Connection!
  named: Named
  media: [Medium!]!
  count: Int!
  nested(again: Again!): Int
}
input Again { inner: [Again!]! }
type Mutation { order(order: Order!): Product!, count: Int! }
type Subscription { sold: Product! }
"""


def product(number: str) -> dict[str, Any]:
    maker = {"name": "maker", "products": []}
    return {"id": number, "name": "a", "price": 1, "size": "SMALL", "made": "2026-01-01", "colour": 7, "maker": maker}


ROOT = {
    "product": lambda _, id: product(id),
    "products": lambda _, **__: {
        "edges": [{"node": product("1"), "cursor": "c"}],
        "pageInfo": {"hasNextPage": False},
    },
    "named": {"__typename": "Product", **product("3")},
    "media": [{"__typename": "Book", "title": "t", "pages": 3}, {"__typename": "Film", "title": "u", "pages": "4"}],
    "count": 7,
    "nested": lambda _, again: len(again["inner"]),
    "order": lambda _, order: product(order["product"]),
}


def execute(schema: GraphQLSchema, body: Mapping[str, Any]) -> Mapping[str, Any]:
    done = graphql_sync(
        schema, body["query"], ROOT, variable_values=body["variables"], operation_name=body["operationName"]
    )
    return done.formatted


@contextmanager
def server(schema: GraphQLSchema) -> Iterator[str]:
    """Where GraphQL is answered by the library's own executor."""

    def answer(request: BaseHTTPRequestHandler, body: bytes) -> Reply:
        asked = {"variables": None, "operationName": None, **json.loads(body)}
        found = execute(schema, asked) if request.path == "/graphql" else {}
        return 200, {"Content-Type": "application/json"}, json.dumps(found).encode()

    with answering(answer) as address:
        yield f"{address}/graphql"


def sample(folder: Path, name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "mine" / "samples" / f"{name}.json").read_text())
    return content


def imported(folder: Path, text: str = SHOP, name: str = "shop.graphql", **options: str) -> ImportOutput:
    return import_text(text, folder, name, **options)


def test_each_field_of_query_and_mutation_is_an_operation_and_the_rest_is_named(tmp_path: Path) -> None:
    outcome = imported(tmp_path, target="http://127.0.0.1:9191/api/graphql")
    assert outcome.taken == ["product", "products", "named", "media", "count", "nested", "order", "count.2"]
    assert outcome.changing == ["order", "count.2"] and outcome.operations == outcome.samples_valid == 8
    assert reasons(outcome) == "subscription sold: its answers come over a WebSocket or as events"
    assert any("scalars DateTime are guessed" in note for note in outcome.notes), outcome.notes
    file = service_file(tmp_path)
    assert (file["target"], file["path"], file["meaning"]) == ("http://127.0.0.1:9191", "/api/graphql", "json")
    assert [name for name, each in file["operations"].items() if each["changes_data"]] == outcome.changing
    assert "# optional arguments: first" in (tmp_path / "mine" / "service.toml").read_text()


def test_requests_are_executed_without_errors_and_answers_match_the_schema(tmp_path: Path) -> None:
    outcome = imported(tmp_path)
    schema = build_schema(SHOP)
    answers = json.loads((tmp_path / "mine" / "contract" / "schema.json").read_text())
    for name in outcome.taken:
        found = execute(schema, sample(tmp_path, name))
        assert "errors" not in found, (name, found)
        judge = jsonschema.Draft202012Validator({**answers, "$ref": f"#/$defs/{name}"})
        judge.validate(found)
        assert not judge.is_valid({**found, "errors": [{"message": "no"}]}) and not judge.is_valid({"data": {}})
    assert sample(tmp_path, "order")["variables"] == {
        "order": {"product": "1", "count": 1, "size": "SMALL", "near": {"place": "text"}, "at": "2026-01-01T12:00:00Z"}
    }


def test_fields_are_selected_to_a_depth_without_those_that_need_arguments(tmp_path: Path) -> None:
    imported(tmp_path)
    query = sample(tmp_path, "products")["query"]
    assert " ".join(query.split()) == (
        "query products($sizes: [Size!]!) { products(sizes: $sizes) { edges { cursor node { id name price size made colour } } "
        "pageInfo { hasNextPage } } }"
    )
    media = sample(tmp_path, "media")["query"]
    assert "... on Book" in media and media.count("pages") == 1, "two types of one name cannot be selected together"
    assert "old" not in query and "__typename" in sample(tmp_path, "named")["query"]


def test_an_introspection_gives_the_same_service_as_the_definition(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    imported(tmp_path / "one")
    told = json.dumps({"data": introspection_from_schema(build_schema(SHOP))})
    outcome = imported(tmp_path, told, "schema.json")
    for name in outcome.taken:
        assert sample(tmp_path, name) == sample(tmp_path / "one", name)


def test_a_server_is_asked_for_its_schema_and_loaded(tmp_path: Path) -> None:
    with server(build_schema(SHOP)) as url:
        ran = steelyard("import", url, "--out", "mine", "--json", folder=tmp_path)
        assert ran.code == 0, ran.err
        assert json.loads(ran.out)["operations"] == 8
        words = ("--users", "2", "--max-requests", "20", "--json", "--out", "runs")
        outcome = steelyard("load", "./mine", *words, folder=tmp_path).outcome
    assert (outcome["completed"], outcome["failed"]) == (20, 0)
    assert {each["operation"] for each in outcome["operations"]} == {
        "product",
        "products",
        "named",
        "media",
        "count",
        "nested",
    }
    assert "schema" in outcome["kept_rules"]


def test_an_answer_with_errors_is_not_right(tmp_path: Path) -> None:
    imported(tmp_path, "type Query { a(id: ID!): Thing }\ntype Thing { b: Int! }")

    def answer(_: BaseHTTPRequestHandler, __: bytes) -> Reply:
        return 200, {}, b'{"data": {"a": null}, "errors": [{"message": "no such thing"}]}'

    with answering(answer) as address:
        ran = steelyard("load", "./mine", "--target", address, "--max-requests", "4", folder=tmp_path)
    assert ran.code == 1 and "verification of a failed" in ran.err and "no such thing" in ran.err, ran.err


def test_a_wide_schema_is_bounded(tmp_path: Path) -> None:
    fields = " ".join(f"f{number}: Int" for number in range(1000))
    imported(tmp_path, f"type Query {{ wide: Wide }}\ntype Wide {{ {fields} }}")
    assert sample(tmp_path, "wide")["query"].count(" f") == MOST_FIELDS


@pytest.mark.parametrize(
    ("text", "name", "why"),
    [
        ("type Query { a: Nothing }", "a.graphql", "Unknown type"),
        ("type Query { a: Int", "a.graphql", "Syntax Error"),
        ("type Shop { a: Int }", "a.gql", "Query root type must be provided"),
        ("type Query { a: Shop }\ntype Shop\n", "a.graphqls", "must define one or more fields"),
        ("{" * 50_000, "a.graphql", "not well-formed|nested|not a valid"),
        ("type Query { a: " + "[" * 50_000, "a.graphql", "nested|not a valid"),
        ('{"__schema": 7}', "a.json", "no schema of an introspection"),
        ('{"data": {"__schema": {"types": [{}]}}}', "a.json", "not a valid GraphQL schema"),
        ('{"errors": [{"message": "introspection is off"}], "data": {"x": {"__schema": 1}}}', "a.json", "is off"),
        ("type Query { a(b: C!): Int }\ninput C { c: C! }", "a.graphql", "Cannot reference Input Object"),
    ],
)
def test_what_is_no_schema_is_refused_in_a_sentence(text: str, name: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(ImportRefusedError, match=why) as refused:
        imported(tmp_path, text, name)
    assert "\n" not in refused.value.message and len(refused.value.message) < 700
    assert not (tmp_path / "mine").exists()
