"""One login to a host by the user's own ssh, over which further commands go there; and why it is refused, in a sentence."""

from __future__ import annotations

import select
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from ..base import children
from ..base.children import start_child
from ..base.errors import ProvisionError

_LOGIN_SECONDS = 40.0
_OPTIONS = {
    "BatchMode": "yes",
    "ConnectTimeout": "15",
    "ServerAliveInterval": "5",
    "ServerAliveCountMax": "3",
    "ForwardAgent": "no",
    "ForwardX11": "no",
    "RequestTTY": "no",
    "PermitLocalCommand": "no",
    "RemoteCommand": "none",
    "ControlPersist": "no",
    "EscapeChar": "none",
    "LogLevel": "ERROR",
}
_OF_OTHERS = {"ControlMaster": "no"}
_OF_MASTER = {"ClearAllForwardings": "yes", "StreamLocalBindUnlink": "yes"}
# Any login shell can run this. The script comes over the channel, with its number of lines before it, so that neither its length
# nor the words of a shell matter, and nobody there sees in the list of processes what it holds.
_BOOT = (
    'exec sh -c \'IFS= read -r n && t= && l=$(printf "\\nx") && l=${l%x} && while [ "$n" -gt 0 ]; do '
    'IFS= read -r s || exit 90; t=$t$s$l; n=$((n-1)); done && eval "$t"\''
)


class Login:
    """A login to the host `name` as `login`, which began to run when this was made; `socket` is where further commands find it."""

    def __init__(self, name: str, login: str, socket: Path) -> None:
        self._name = name
        self._login = login
        self.socket = socket
        self._staying: list[subprocess.Popen[str]] = []
        words = [*_words(_OPTIONS | _OF_MASTER), "-M", "-S", str(socket), "--", login, _BOOT]
        self._process = start_child(
            lambda: subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
            )
        )

    def answer(self, script: str, word: str, patience_seconds: float, refusals: Mapping[int, ProvisionError]) -> str:
        """What stands after `word` in the first line that a script prints there, which is asked once and runs on.

        Raises ProvisionError where no such line comes: the one of `refusals` that belongs to the script's exit code, or one that
        says why the host cannot be had.
        """
        process = self._process
        assert process.stdout is not None and process.stderr is not None
        self.write(encode_script(script))  # where it ends at once, it says why
        ready, _, _ = select.select([process.stdout], [], [], _LOGIN_SECONDS + patience_seconds)
        if not ready:
            raise ProvisionError(
                f"host '{self._name}' cannot be reached: the login as '{self._login}' took longer than {_LOGIN_SECONDS:g} s",
                hint=_BY_HAND,
            )
        line = process.stdout.readline().decode(errors="replace")
        first, _, rest = line.rstrip("\n").partition(" ")
        if line and first == word:
            return rest
        if line:
            raise ProvisionError(
                f"host '{self._name}' says '{line.strip()[:80]}' at the login, before it does what it is asked",
                hint="what its shell reads first must print nothing where there is no terminal",
            )
        said = process.stderr.read().decode(errors="replace")
        raise refusals.get(process.wait()) or login_error(self._name, self._login, said)

    @property
    def has_ended(self) -> bool:
        """Whether it is known to be gone."""
        return self._process.poll() is not None

    @property
    def running_commands(self) -> int:
        """How many of the commands that were to stay there are still there."""
        self._staying = [process for process in self._staying if process.poll() is None]
        return len(self._staying)

    def stays(self, process: subprocess.Popen[str]) -> None:
        """That a command of `words` stays there."""
        self._staying.append(process)

    def words(self) -> list[str]:
        """The command that runs a script there, which it reads from its input as `encode_script` says it."""
        return [*_words(_OPTIONS | _OF_OTHERS), "-S", str(self.socket), "--", self._login, _BOOT]

    def write(self, words: bytes) -> bool:
        """Write to what runs there; False where nobody can read it any more."""
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(words)
            self._process.stdin.flush()
        except (OSError, ValueError):
            return False
        return True

    def wait(self, seconds: float) -> None:
        """Wait so long, or until it is gone."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)

    def end(self, last_words: bytes, seconds: float) -> None:
        """Say the last words, wait so long for its end, and then end it."""
        self.write(last_words)
        with suppress(OSError, ValueError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        self.wait(seconds)
        children.kill_group(self._process)


def _words(options: Mapping[str, str]) -> list[str]:
    return ["ssh", "-T", *(word for name, value in options.items() for word in ("-o", f"{name}={value}"))]


def encode_script(script: str) -> bytes:
    """A script as the shell there reads it."""
    lines = script.splitlines()
    return "".join(f"{line}\n" for line in (str(len(lines)), *lines)).encode()


_BY_HAND = "`ssh` to it must work by hand, without a question; the user's own configuration (~/.ssh/config) holds"


def login_error(name: str, login: str, said: str) -> ProvisionError:
    """Why a login failed, from what ssh or the host said."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    last = lines[-1][:300] if lines else "ssh does not say why"
    if "IDENTIFICATION HAS CHANGED" in said:
        return ProvisionError(
            f"host '{name}' shows another host key than the one that is known: it was set up anew, or another host answers",
            hint="find out which it is; then `ssh-keygen -R` removes the known key, and `ssh` once by hand takes the new one",
        )
    if "Host key verification failed" in said or "host key is known" in said:
        return ProvisionError(
            f"host '{name}' shows a host key that is not known here",
            hint="`ssh` to it once by hand, and compare the key",
        )
    if "Permission denied" in said or "Too many authentication failures" in said:
        return ProvisionError(f"host '{name}' refused the login as '{login}': {last}", hint=_BY_HAND)
    if "Could not resolve" in said or "not known" in said:
        return ProvisionError(
            f"host '{name}' cannot be reached: ssh knows no host '{login}'",
            hint="`login` in the hosts file, or an alias in ~/.ssh/config, says who is meant",
        )
    if is_full(said):
        return no_space_error(name)
    return ProvisionError(f"host '{name}' cannot be reached: {last}", hint=_BY_HAND)


def is_full(said: str) -> bool:
    """Whether a command there failed since a disk is full or its quota used up; tar says it in its own words."""
    return any(words in said for words in ("No space left", "Wrote only", "quota exceeded"))


def no_space_error(name: str) -> ProvisionError:
    """That a host cannot hold what is to be copied."""
    return ProvisionError(
        f"host '{name}' has no space for what the subjects need",
        hint="free some there; what earlier runs left in ~/.cache/steelyard/brought may be removed, or XDG_CACHE_HOME set there",
    )
