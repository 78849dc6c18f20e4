"""The mail server's list of what has come, and what is said where Exim is not here."""

from __future__ import annotations

import importlib.util
from email.message import EmailMessage
from pathlib import Path

import pytest
from steelyard.base.errors import ToolchainError
from steelyard.catalogue import entries
from steelyard.catalogue.companions import with_companions
from steelyard.catalogue.subject_syntax import subject_of
from steelyard.hosts import toolchain

SINK = Path(__file__).with_name("sink.py")


def mails_of(folder: Path) -> str:
    spec = importlib.util.spec_from_file_location("sink", SINK)
    assert spec is not None and spec.loader is not None
    sink = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sink)
    return str(sink.Mails(folder).text())


def test_a_delivered_mail_is_a_line_with_whom_it_is_for_and_what_about(tmp_path: Path) -> None:
    mail = EmailMessage()
    mail["To"], mail["Subject"] = "shopper-1@example.org", "Order 4711 für Åse, " + "long " * 30 + "approved"
    mail.set_content("Dear Åse")
    (tmp_path / "1.M1.localhost").write_bytes(mail.as_bytes())
    words = "long " * 30
    assert mails_of(tmp_path) == f"shopper-1@example.org\tOrder 4711 für Åse, {words}approved\n"


def test_before_the_first_mail_there_is_none(tmp_path: Path) -> None:
    assert mails_of(tmp_path / "new") == ""


def test_where_exim_is_not_here_its_package_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolchainError, match="exim needs the command 'exim4', which is not on this machine") as refused:
        toolchain.require(entries.server("exim").model.needs, "exim")
    assert "Debian: apt install exim4-daemon-light" in refused.value.hint


@pytest.mark.parametrize("product", ["greenmail", "exim"])
def test_the_pet_stores_factor_says_which_mail_server_stands_beside_it(product: str) -> None:
    spec = with_companions(subject_of(f"tomcat-springws@mail={product}"), entries.service("petstore"))
    assert [part.server for part in spec.companions] == [product]
