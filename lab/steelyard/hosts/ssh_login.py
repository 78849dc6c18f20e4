"""One login to a host by the user's own ssh, over which further commands run; and the reason of its refusal, in a sentence."""

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
# Runs in any login shell. The script comes over the channel after its number of lines, so its length and quoting do not matter,
# and it does not show in the list of processes there.
_BOOT = (
    'exec sh -c \'IFS= read -r n && t= && l=$(printf "\\nx") && l=${l%x} && while [ "$n" -gt 0 ]; do '
    'IFS= read -r s || exit 90; t=$t$s$l; n=$((n-1)); done && eval "$t"\''
)


class Login:
    """A login to the host `name` as `login`, started in the constructor; further commands use `socket`."""

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
        """The text after `word` in the first line that a script prints there; the script keeps running.

        Raises ProvisionError where no such line comes: the entry of `refusals` for the script's exit code, or an error with the
        reason.
        """
        process = self._process
        assert process.stdout is not None and process.stderr is not None
        self.write(encode_script(script))  # where it ends at once, its message tells why
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
                f"host '{self._name}' printed '{line.strip()[:80]}' at the login, before the script's output",
                hint="its shell's startup files must print nothing without a terminal",
            )
        output = process.stderr.read().decode(errors="replace")
        raise refusals.get(process.wait()) or login_error(self._name, self._login, output)

    @property
    def has_ended(self) -> bool:
        """Whether the login is known to have ended."""
        return self._process.poll() is not None

    @property
    def running_commands(self) -> int:
        """The number of long-running commands that still run."""
        self._staying = [process for process in self._staying if process.poll() is None]
        return len(self._staying)

    def stays(self, process: subprocess.Popen[str]) -> None:
        """Count a command of `words` as long-running."""
        self._staying.append(process)

    def words(self) -> list[str]:
        """The command that runs a script there; it reads the script from its input in the form of `encode_script`."""
        return [*_words(_OPTIONS | _OF_OTHERS), "-S", str(self.socket), "--", self._login, _BOOT]

    def write(self, words: bytes) -> bool:
        """Write to the script's input; returns False where nothing reads it any more."""
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(words)
            self._process.stdin.flush()
        except (OSError, ValueError):
            return False
        return True

    def wait(self, seconds: float) -> None:
        """Wait for `seconds`, or until the login has ended."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)

    def end(self, last_words: bytes, seconds: float) -> None:
        """Write `last_words`, wait up to `seconds` for the end, and then end the login."""
        self.write(last_words)
        with suppress(OSError, ValueError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        self.wait(seconds)
        children.kill_group(self._process)


def _words(options: Mapping[str, str]) -> list[str]:
    return ["ssh", "-T", *(word for name, value in options.items() for word in ("-o", f"{name}={value}"))]


def encode_script(script: str) -> bytes:
    """A script in the form that the remote shell reads."""
    lines = script.splitlines()
    return "".join(f"{line}\n" for line in (str(len(lines)), *lines)).encode()


_BY_HAND = "`ssh` to it must work by hand, without a prompt; your own configuration (~/.ssh/config) applies"


def login_error(name: str, login: str, output: str) -> ProvisionError:
    """The reason of a failed login, from the output of ssh or the host."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    last = lines[-1][:300] if lines else "ssh gives no reason"
    if "IDENTIFICATION HAS CHANGED" in output:
        return ProvisionError(
            f"host '{name}' has another host key than the known one: it was reinstalled, or another host answers",
            hint="find out which; then remove the known key with `ssh-keygen -R`, and accept the new one with `ssh` by hand",
        )
    if "Host key verification failed" in output or "host key is known" in output:
        return ProvisionError(
            f"host '{name}' has a host key that is not known here",
            hint="connect once with `ssh` by hand, and compare the key",
        )
    if "Permission denied" in output or "Too many authentication failures" in output:
        return ProvisionError(f"host '{name}' refused the login as '{login}': {last}", hint=_BY_HAND)
    if "Could not resolve" in output or "not known" in output:
        return ProvisionError(
            f"host '{name}' cannot be reached: ssh knows no host '{login}'",
            hint="set `login` in the hosts file, or an alias in ~/.ssh/config",
        )
    if is_full(output):
        return no_space_error(name)
    return ProvisionError(f"host '{name}' cannot be reached: {last}", hint=_BY_HAND)


def is_full(output: str) -> bool:
    """Whether a command there failed because a disk is full or a quota used up; tar has its own message."""
    return any(words in output for words in ("No space left", "Wrote only", "quota exceeded"))


def no_space_error(name: str) -> ProvisionError:
    """The error for a host without space for the copies."""
    return ProvisionError(
        f"host '{name}' has no space for the subjects' files",
        hint="free some there: copies of earlier runs in ~/.cache/steelyard/brought may be removed, or set XDG_CACHE_HOME there",
    )
