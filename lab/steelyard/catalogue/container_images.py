"""Container images as servers of the user's own: `docker:IMAGE` or `podman:IMAGE`, with `@port=`, `@cpus=` and `@memory=`.

We had no container engine when we wrote this: these lines were never run by us.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from ..base.errors import ConfigurationError, ToolchainError
from ..base.paths import HOST
from ..models.own_server import PORT_PLACE, PORT_VARIABLES, OwnServer

_IMAGE = re.compile(r"(docker|podman):(.*)", re.DOTALL)
_NAME = re.compile(r"[a-z0-9][A-Za-z0-9./:_-]*(@sha256:[0-9a-f]{64})?")
_LIMITS = {
    "port": r"[1-9]\d{0,4}",
    "cpus": r"\d+(\.\d+)?",
    "memory": r"[1-9]\d*[kmg]",
}
_USUAL_PORT = "8080"
_STOP_SECONDS = "10"


def is_image(words: str) -> bool:
    """Whether these words name a container image."""
    return _IMAGE.fullmatch(words) is not None


def server_of(words: str) -> OwnServer:
    """The server of an image: run on loopback, removed at its end, and never pulled.

    Raises ConfigurationError, and ToolchainError where the engine is not on this machine.
    """
    match = _IMAGE.fullmatch(words)
    if match is None:
        raise ConfigurationError(f"'{words}' is not a container image", hint="write docker:IMAGE or podman:IMAGE")
    engine = match[1]
    image, limits = _image_and_limits(match[2], words)
    if shutil.which(engine) is None:
        raise ToolchainError(f"{engine} is not on this machine, which {words} needs", hint=f"install {engine}")
    port = limits.pop("port", _USUAL_PORT)
    name = container_name(PORT_PLACE)
    variables = [word for variable in PORT_VARIABLES for word in ("--env", f"{variable}={port}")]
    limited = [word for limit, value in limits.items() for word in (f"--{limit}", value)]
    publish = f"{HOST}:{PORT_PLACE}:{port}"
    run = [engine, "run", "--rm", "--pull", "never", "--name", name, "--publish", publish, *variables, *limited, image]
    return OwnServer(
        title=words,
        folder=str(Path.cwd()),
        start=run,
        stop=[engine, "stop", "--time", _STOP_SECONDS, name],
        engine="docker" if engine == "docker" else "podman",
    )


def container_name(port: int | str) -> str:
    """What the container that is published on a port is called."""
    return f"steelyard-{port}"


def label_of(words: str) -> str:
    """A short label: the image's name and tag, without the registry."""
    return re.split(r"@(?=[a-z]+=)", words.partition(":")[2])[0].rpartition("/")[2]


def _image_and_limits(text: str, words: str) -> tuple[str, dict[str, str]]:
    image, *settings = re.split(r"@(?=[a-z]+=)", text)
    limits: dict[str, str] = {}
    for setting in settings:
        name, _, value = setting.partition("=")
        if name not in _LIMITS or name in limits or not re.fullmatch(_LIMITS[name], value):
            raise ConfigurationError(
                f"'@{setting}' of '{words}' is not a container setting",
                hint="use @port=8080 for its port, @cpus=2 and @memory=512m for its limits, each at most once",
            )
        limits[name] = value
    if not _NAME.fullmatch(image):
        raise ConfigurationError(f"'{image}' of '{words}' is not an image name", hint="write docker:shop:1.3")
    return image, limits
