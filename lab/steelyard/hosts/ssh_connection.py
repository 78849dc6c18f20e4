"""A connection to a host by the user's own ssh, over several logins if needed; it runs shell scripts there."""

from __future__ import annotations

import shlex
import subprocess
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from ..base import children
from ..base.children import start_child
from ..base.errors import ProvisionError
from .keeper import BEAT_SECONDS, UNHEARD_SECONDS
from .ssh_login import Login, encode_script

ANSWER_SECONDS = 30.0
_BUSY = 9  # exit code of the holding script where another lab holds the host
# Long-running commands per login; sshd allows ten at a time (MaxSessions), and short queries need the rest.
_MOST_STAYING = 5
_LINGER_SECONDS = 3  # wait for the keepers there to end their processes before their folder is removed
# Holds the host until our end of file or a missing heartbeat; removes leftovers of earlier sessions.
_HOLD = """umask 077
root=${{STEELYARD_CACHE:-${{XDG_CACHE_HOME:-$HOME/.cache}}/steelyard}}/brought
for tool in flock timeout tar mktemp ip; do
  command -v $tool >/dev/null || {{ echo "steelyard needs the command '$tool' there" >&2; exit 1; }}
done
mkdir -p "$root/sessions" || exit 1
exec 9>"$root/lock"
flock -w {patience} 9 || exit {busy}
rm -rf "$root/sessions/"* "$root/".[a-f0-9]*
session=$(mktemp -d "$root/sessions/XXXXXX") || exit 1
printf 'held %s\\n' "$session"
{hear}
[ "$heard" = done ] || sleep {linger}
rm -rf "$session"
"""
# waits until our end of file or a missing heartbeat
_HEAR = f"""while heard=$(timeout {UNHEARD_SECONDS} head -n 1) && [ "$heard" = beat ]; do :; done"""
_STAY = f"""echo here
{_HEAR}
"""


class FarCommandError(ProvisionError):
    """A remote script failed; `output` is its standard error."""

    def __init__(self, message: str, hint: str = "", output: str = "") -> None:
        super().__init__(message, hint)
        self.output = output


class Connection:
    """A login to the host `name` as `login` (an alias of the user's configuration, or user@name). It locks the host against other
    labs. `session` is a folder there that is removed when the connection ends, however it ends."""

    def __init__(self, name: str, login: str, patience_seconds: int) -> None:
        """Raises ProvisionError with the reason where the host is not available."""
        self.name = name
        self._login = login
        self._folder = tempfile.TemporaryDirectory(prefix="steelyard-", ignore_cleanup_errors=True)
        self._logins: list[Login] = []
        self._one_at_a_time = threading.Lock()  # two long-running commands must not take the same place
        busy = ProvisionError(
            f"host '{name}' is busy: another measurement runs there", hint="wait until it has ended, or end it"
        )
        hold = _HOLD.format(patience=patience_seconds, busy=_BUSY, hear=_HEAR, linger=_LINGER_SECONDS)
        try:
            self.session = self._further_login().answer(hold, "held", patience_seconds, {_BUSY: busy})
        except BaseException:
            self.close()
            raise
        threading.Thread(target=self._beat, daemon=True).start()

    def _further_login(self) -> Login:
        self._logins.append(Login(self.name, self._login, Path(self._folder.name) / f"ssh{len(self._logins)}"))
        return self._logins[-1]

    @property
    def root(self) -> str:
        """The folder there for copied files."""
        return self.session.rpartition("/sessions/")[0]

    @property
    def has_ended(self) -> bool:
        """Whether the connection is known to have ended."""
        return any(login.has_ended for login in self._logins)

    def start_command(self, script: str) -> subprocess.Popen[str]:
        """A long-running command that replaces a script there, with text pipes and in its own process group here.

        When a login has its maximum of commands, a further login is made. Raises ProvisionError where that is refused.
        """
        with self._one_at_a_time:
            login = next((login for login in self._logins if login.running_commands < _MOST_STAYING), None)
            login = login or self._login_for_more()
            process = subprocess.Popen(
                login.words(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
            login.stays(process)
        assert process.stdin is not None
        with suppress(BrokenPipeError):  # it ends by itself then, with a message
            process.stdin.write(encode_script(script).decode())
            process.stdin.flush()
        return process

    def _login_for_more(self) -> Login:
        login = self._further_login()
        try:
            login.answer(_STAY, "here", 0, {})
        except BaseException:
            self._logins.remove(login)
            login.end(b"done\n", 1)
            raise
        return login

    def output_of(
        self,
        script: str,
        feed: Callable[[IO[bytes]], None] | None = None,
        seconds: float = ANSWER_SECONDS,
        into: IO[bytes] | None = None,
    ) -> bytes:
        """The output of a script there, empty where it is written `into` a file; `feed` writes its input. Raises FarCommandError
        where it fails or is late."""
        if self.has_ended:
            raise FarCommandError(f"the connection to host '{self.name}' is lost")
        process = start_child(
            lambda: subprocess.Popen(
                self._logins[0].words(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE if into is None else into,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        )
        assert process.stdin is not None
        try:
            with suppress(BrokenPipeError):  # it ended before reading all input, with a message
                process.stdin.write(encode_script(script))
                if feed is not None:
                    feed(process.stdin)
                process.stdin.flush()
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            raise FarCommandError(f"host '{self.name}' did not answer within {seconds:g} s") from None
        finally:
            children.kill_group(process)
            for pipe in (process.stdin, process.stdout, process.stderr):
                with suppress(OSError):
                    if pipe is not None:
                        pipe.close()
        if process.returncode != 0:
            words = err.decode(errors="replace").strip()
            why = words.splitlines()[-1] if words else f"exit code {process.returncode}"
            raise FarCommandError(f"host '{self.name}': {why[:300]}", output=words)
        return out or b""

    def forward(self, here: Path, there: str) -> None:
        """A socket here that forwards to a socket there; raises ProvisionError."""
        route = ["-L", f"{here}:{there}", "steelyard"]
        command = ["ssh", "-F", "none", "-S", str(self._logins[0].socket), "-O"]
        with suppress(OSError, subprocess.SubprocessError):  # left by an earlier process
            children.run([*command, "cancel", *route], seconds=ANSWER_SECONDS)
        try:
            done = children.run([*command, "forward", *route], seconds=ANSWER_SECONDS)
        except (OSError, subprocess.SubprocessError) as error:
            raise ProvisionError(f"host '{self.name}': no socket can be forwarded: {error}") from None
        if done.returncode != 0:
            raise ProvisionError(
                f"host '{self.name}' forwards no sockets: {' '.join(done.stderr.split())[:200]}",
                hint="its sshd must allow AllowStreamLocalForwarding, which is the default",
            )

    def close(self) -> None:
        """Close the connection; its processes there end with it, and its folder is removed."""
        with children.hold_interrupts():
            for login in reversed(self._logins):  # the first login holds the host until the others are gone
                login.end(b"done\n", _LINGER_SECONDS + 10)  # all processes there have ended
            self._folder.cleanup()

    def _beat(self) -> None:
        alive = [True]
        while all(alive):  # every login gets the heartbeat, even where another is gone
            self._logins[0].wait(BEAT_SECONDS)
            alive = [login.write(b"beat\n") for login in self._logins]


def shell_words(words: Sequence[str]) -> str:
    """Words quoted for a shell."""
    return shlex.join(words)
