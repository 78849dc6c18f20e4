"""The lab's packages: imports go only to packages before them, without circles; functions and names are readable."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
import steelyard

LAB = Path(steelyard.__file__).parent
IMPORT_ORDER = (
    *("base", "models", "statistics", "results", "catalogue", "plan", "hosts", "workload", "analyse"),
    *("report", "measure", "calibration", "cluster", "judging", "commands", "cli", "__main__"),
)


def modules() -> dict[str, Path]:
    """All modules by dotted name, a package by its own."""
    by_name = {}
    for path in sorted(LAB.rglob("*.py")):
        parts = path.relative_to(LAB).with_suffix("").parts
        by_name[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return by_name


def imports(name: str, path: Path, known: dict[str, Path]) -> set[str]:
    """The lab's modules that one module imports, at its top, in a function or for types alone."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    targets = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = [*package[: len(package) - node.level + 1], *(node.module.split(".") if node.module else [])]
            for alias in node.names:
                whole = ".".join([*base, alias.name])
                targets.add(whole if whole in known else ".".join(base))
    return targets - {name, ""}


GRAPH = {name: imports(name, path, modules()) for name, path in modules().items()}


def test_every_module_is_in_a_package_that_the_order_knows() -> None:
    packages = {name.split(".")[0] for name in GRAPH if name}
    assert packages == set(IMPORT_ORDER)


def test_a_package_imports_only_packages_before_it() -> None:
    upward = [
        f"{name} imports {target}"
        for name, targets in GRAPH.items()
        for target in targets
        if name and IMPORT_ORDER.index(target.split(".")[0]) > IMPORT_ORDER.index(name.split(".")[0])
    ]
    assert upward == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert len(list(TopologicalSorter(GRAPH).static_order())) >= len(GRAPH)  # raises CycleError where there is one


TREES = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in modules().items()}
MOST_LINES = 50  # a screen
MOST_PARAMETERS = 8


def functions() -> list[tuple[str, ast.FunctionDef]]:
    """Every function with its place, but for commands: each of their parameters is an option with its help text."""
    return [
        (f"{name}.{node.name}", node)
        for name, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and not any("command" in ast.unparse(decorator) for decorator in node.decorator_list)
    ]


def test_no_class_name_stands_twice() -> None:
    names = [node.name for tree in TREES.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    assert len(names) > 100
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_no_function_is_longer_than_a_screen() -> None:
    assert [place for place, node in functions() if (node.end_lineno or 0) - node.lineno >= MOST_LINES] == []


def test_no_function_takes_more_than_a_reader_keeps_in_mind() -> None:
    def parameters(node: ast.FunctionDef) -> list[str]:
        given = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        return [parameter.arg for parameter in given if parameter.arg not in ("self", "cls")]

    assert [place for place, node in functions() if len(parameters(node)) > MOST_PARAMETERS] == []


NAME_NOTHING = {"found", "one", "ones", "thing", "things", "stuff", "it", "what", "who", "whose", "this", "that"}


def names_given(tree: ast.Module) -> list[tuple[str, int]]:
    """Every parameter and variable of a module with its line; fields of a class are keys of files and have their names there."""
    bodies = [node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    fields = {id(field.target) for body in bodies for field in body if isinstance(field, ast.AnnAssign)}
    parameters = [(node.arg, node.lineno) for node in ast.walk(tree) if isinstance(node, ast.arg)]
    variables = [
        (node.id, node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in fields
    ]
    return parameters + variables


@pytest.mark.parametrize(
    "source",
    [
        "def read(found): ...",
        "def read():\n    one = 1",
        "[thing for thing in range(3)]",
        "sorted((), key=lambda one: one)",
        "for one, other in (): ...",
        "if (found := 1): ...",
    ],
)
def test_a_name_that_says_nothing_is_seen_wherever_it_is_given(source: str) -> None:
    assert {name for name, _ in names_given(ast.parse(source))} & NAME_NOTHING


def test_every_value_is_named_for_what_it_is() -> None:
    given = [(f"{module}, line {line}", name) for module, tree in TREES.items() for name, line in names_given(tree)]
    assert len(given) > 1_000
    assert [f"{place}: {name}" for place, name in given if name in NAME_NOTHING] == []


def test_every_module_has_a_docstring() -> None:
    silent = [name for name, path in modules().items() if not ast.get_docstring(ast.parse(path.read_text()))]
    assert silent == []
