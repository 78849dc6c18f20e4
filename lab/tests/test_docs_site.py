"""The site of the documentation: its links lead to pages, pictures or the repository, and its menu has what there is."""

from __future__ import annotations

import pytest
from programs import program

FILES = frozenset({"README.md", "docs/guides/ci.md", "docs/images/report.png", "contracts/README.md", "ci/gitlab.yml"})
ADDRESS = "https://forge.example/scales/steelyard"


@pytest.mark.parametrize(
    ("link", "made"),
    [
        ("[a](ci.md#b)", "[a](../../docs/guides/ci.md#b)"),
        ("![a](../images/report.png)", "![a](../../docs/images/report.png)"),
        ("[a](../../contracts)", "[a](../../contracts/index.md)"),
        ("[a](../../README.md)", "[a](../../index.md)"),
        ("[a](../../ci/gitlab.yml)", f"[a]({ADDRESS}/blob/main/ci/gitlab.yml)"),
        ("[a](#here)", "[a](#here)"),
        ("[a](https://forge.example/)", "[a](https://forge.example/)"),
        ("`[a](ci.md)`", "`[a](ci.md)`"),
        ("```\n[a](ci.md)\n```", "```\n[a](ci.md)\n```"),
    ],
)
def test_a_link_leads_to_a_page_a_picture_or_the_repository(link: str, made: str) -> None:
    tool = program("docs_site")
    assert tool.with_links(link, "docs/guides/first.md", FILES, ADDRESS) == made


def test_without_a_repository_a_link_to_a_file_is_its_text() -> None:
    assert program("docs_site").with_links("see [a](ci/gitlab.yml)", "README.md", FILES, "") == "see a"


def test_every_page_of_the_menu_exists() -> None:
    tool = program("docs_site")
    files = tool.tracked()
    made = {tool.place(path) for path in files if path.endswith(".md")}
    menu = [entry for entries in tool.navigation(files) for entry in entries.values()]
    paths = [path for entry in menu for path in (entry if isinstance(entry, list) else [entry])]
    named = [path if isinstance(path, str) else next(iter(path.values())) for path in paths]
    assert len(named) > 50 and set(named) <= made and len(named) == len(set(named))
