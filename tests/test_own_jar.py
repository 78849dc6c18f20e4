"""An executable jar and a WAR of a user's with an OpenAPI document: one jar on two JDKs, one WAR on two servers."""

from __future__ import annotations

import json
import subprocess
import zipfile
from pathlib import Path

import pytest
from conftest import Lab
from rich.console import Console
from steelyard.base.progress import Progress
from steelyard.catalogue import entries
from steelyard.hosts import subject, toolchain
from steelyard.models.study import PartSpec, SubjectSpec

PROGRAM = """\
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;

public class Shelf {
  public static void main(String[] words) throws Exception {
    var address = new InetSocketAddress(System.getenv("SERVER_ADDRESS"), Integer.parseInt(words[1]));
    var server = HttpServer.create(address, 0);
    server.setExecutor(Executors.newFixedThreadPool(4));
    server.createContext("/api/books/7", exchange -> {
      var body = "{\\"id\\": 7, \\"title\\": \\"Seven\\"}".getBytes();
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
      exchange.close();
    });
    server.start();
  }
}
"""
SERVLET = """\
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

@WebServlet("/books/*")
public class Books extends HttpServlet {
  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
    response.setContentType("application/json");
    response.getWriter().write("{\\"id\\": 7, \\"title\\": \\"Seven\\"}");
  }
}
"""
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Books", "version": "1"},
    "servers": [{"url": "https://books.example/api"}],
    "paths": {
        "/books/{id}": {
            "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}, "example": 7}],
            "get": {
                "operationId": "book",
                "responses": {
                    "200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Book"}}}}
                },
            },
        }
    },
    "components": {
        "schemas": {
            "Book": {
                "type": "object",
                "properties": {"id": {"type": "integer"}, "title": {"type": "string"}},
                "required": ["id", "title"],
            }
        }
    },
}
SHORT = ("--pairs", "1", "--slice-seconds", "0.5", "--warm-up", "0.5", "--budget", "40s", "--users", "2", "--json")


def compile_class(folder: Path, name: str, source: str, *options: str) -> None:
    home = toolchain.jdk_home(17) or toolchain.jdk_home(25)
    if home is None:
        pytest.skip("there is no JDK")
    (folder / f"{name}.java").write_text(source)
    javac = [str(home / "bin" / "javac"), "--release", "17", "-d", str(folder), *options, str(folder / f"{name}.java")]
    subprocess.run(javac, check=True)


@pytest.fixture
def house(tmp_path: Path) -> dict[str, str]:
    """The variable that names an empty folder of services."""
    (tmp_path / "house").mkdir()
    return {"STEELYARD_PATH": str(tmp_path / "house")}


def document(folder: Path) -> str:
    (folder / "openapi.json").write_text(json.dumps(DOCUMENT))
    return str(folder / "openapi.json")


def test_a_jar_is_weighed_on_two_jdks(lab: Lab, house: dict[str, str], tmp_path: Path) -> None:
    if toolchain.jdk_home(17) is None or toolchain.jdk_home(25) is None:
        pytest.skip("JDK 17 and JDK 25 are not both here")
    compile_class(tmp_path, "Shelf", PROGRAM)
    jar = tmp_path / "shelf.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\nMain-Class: Shelf\n")
        for part in sorted(tmp_path.glob("*.class")):
            archive.write(part, part.name)
    ran = lab.run("add", f"{jar} --port {{port}}", "--openapi", document(tmp_path), "--name", "mine", "--json", **house)
    assert ran.code == 0, ran.err
    assert ran.json()["operations"] == ["book"]
    jdks = ("executable-jar@jdk=17", "executable-jar@jdk=25")
    outcome = lab.run("compare", *jdks, "--service", "mine", *SHORT, **house).json()
    # Whether there is a verdict is not asked: half a second decides nothing.
    assert {figure["subject"] for figure in outcome["figures"]} == set(jdks)
    assert outcome["failures"] == []
    described = json.loads((lab.folder / outcome["run"] / "environment.json").read_text())
    assert all(f'"{jdk}' in json.dumps(described) for jdk in jdks)


@pytest.mark.long
def test_a_war_is_weighed_on_two_servers_by_its_document(lab: Lab, house: dict[str, str], tmp_path: Path) -> None:
    spec = SubjectSpec(label="any", parts=[PartSpec(server="tomcat-metro")])
    front = subject.provide_subject(spec, entries.service("wstest"), Progress(Console(quiet=True))).front
    servlets = front.cache / "tomcat" / "lib" / "servlet-api.jar"
    compile_class(tmp_path, "Books", SERVLET, "-cp", str(servlets))
    war = tmp_path / "books.war"
    with zipfile.ZipFile(war, "w") as archive:
        archive.write(tmp_path / "Books.class", "WEB-INF/classes/Books.class")
    ran = lab.run("add", str(war), "--openapi", document(tmp_path), "--json", **house)
    assert ran.code == 0, ran.err
    assert ran.json()["path"] == "/books"
    outcome = lab.run("compare", "tomcat-metro", "jetty-metro", "--service", "books", *SHORT, **house).json()
    assert {figure["subject"] for figure in outcome["figures"]} == {"tomcat-metro", "jetty-metro"}
    assert outcome["failures"] == []
