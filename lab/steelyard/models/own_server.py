"""A server of the user's own in a study: its start line, its port, and its stop command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from .server import Argv
from .strict import Strict

_JAVA = frozenset({"java", "mvn", "mvnw", "gradle", "gradlew"})
PORT_PLACE = "{port}"
PORT_VARIABLES = ("PORT", "SERVER_PORT")  # variables with the port of a user's own server


class OwnServer(Strict):
    """A server of the user's own. Its argument lists run in `folder`.

    `start` runs it in the foreground. `ready` is repeated until it exits with 0; without it, the server is ready when it accepts
    connections and answers. `stop` runs before its processes are ended, which happens in any case. It listens on the port that
    Steelyard gives it, by `{port}` in these lists and by the environment variables PORT and SERVER_PORT; where `port` is set it
    listens on that one. For a container, `engine` is the program that runs it; its processes are not descendants of `start`'s.
    """

    title: str
    folder: str
    start: Argv
    ready: Argv | None = None
    stop: Argv | None = None
    port: Annotated[int | None, Field(gt=0, lt=65_536)] = None
    engine: Literal["docker", "podman"] | None = None

    @property
    def looks_like_java(self) -> bool:
        """Whether its start line runs Java, as far as the line shows; the started process shows it for certain."""
        return Path(self.start[0]).name in _JAVA or any(word.endswith(".jar") for word in self.start)

    def files(self) -> list[Path]:
        """The files that its start line names, including its program where that is the user's own."""
        named = (Path(self.folder, word) for word in self.start if len(word) < 4096 and "\0" not in word)
        return list(dict.fromkeys(path for path in named if path.is_file()))
