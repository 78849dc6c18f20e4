"""One connection to a host by the user's own ssh: scripts that its shell runs; and why it is refused, in a sentence."""

from __future__ import annotations

import select
import shlex
import subprocess
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from ..base import children
from ..base.children import begun
from ..base.errors import ProvisionError
from .keeper import BEAT_SECONDS, UNHEARD_SECONDS

SAID_SECONDS = 30.0
_LOGIN_SECONDS = 40.0
_BUSY = 9  # exit code of the script that holds a host, where another lab does
_LINGER_SECONDS = 3  # until the keepers there have ended what they keep, and their folder can go
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
# Holds the host until our end of file, or until nothing is heard of us; what is left of those before us is removed.
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
while heard=$(timeout {unheard} head -n 1) && [ "$heard" = beat ]; do :; done
[ "$heard" = done ] || sleep {linger}
rm -rf "$session"
"""


class FarCommandError(ProvisionError):
    """A script failed there; `said` is what it wrote on standard error."""

    def __init__(self, message: str, hint: str = "", said: str = "") -> None:
        super().__init__(message, hint)
        self.said = said


class Connection:
    """A login to the host `name` as `login` (an alias of the user's configuration, or user@name). It holds the host: no other lab
    measures there meanwhile. `session` is a folder there that is removed when the connection ends, however that comes."""

    def __init__(self, name: str, login: str, patience_seconds: int) -> None:
        """Raises ProvisionError that says why the host cannot be had."""
        self.name = name
        self._login = login
        self._folder = tempfile.TemporaryDirectory(prefix="steelyard-", ignore_cleanup_errors=True)
        self._socket = Path(self._folder.name) / "ssh"
        words = [*self._words(_OPTIONS | _OF_MASTER), "-M", "-S", str(self._socket), "--", login, _BOOT]
        self._master = begun(
            lambda: subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
            )
        )
        try:
            hold = _HOLD.format(patience=patience_seconds, busy=_BUSY, unheard=UNHEARD_SECONDS, linger=_LINGER_SECONDS)
            self.session = self._held(hold, patience_seconds)
        except BaseException:
            self.close()
            raise
        threading.Thread(target=self._beat, daemon=True).start()

    def _held(self, script: str, patience_seconds: int) -> str:
        assert self._master.stdin is not None and self._master.stdout is not None and self._master.stderr is not None
        with suppress(OSError):  # where it ends at once, it says why
            self._master.stdin.write(told(script))
            self._master.stdin.flush()
        ready, _, _ = select.select([self._master.stdout], [], [], _LOGIN_SECONDS + patience_seconds)
        line = self._master.stdout.readline().decode(errors="replace") if ready else ""
        if line.startswith("held "):
            return line.removeprefix("held ").rstrip("\n")
        if not ready:
            raise ProvisionError(
                f"host '{self.name}' cannot be reached: the login as '{self._login}' took longer than {_LOGIN_SECONDS:g} s",
                hint=_BY_HAND,
            )
        said = self._master.stderr.read().decode(errors="replace")
        if self._master.wait() == _BUSY:
            raise ProvisionError(
                f"host '{self.name}' is busy: another lab measures there", hint="wait until it has ended, or end it"
            )
        raise refused(self.name, self._login, said)

    @property
    def root(self) -> str:
        """The folder there in which what was copied stays."""
        return self.session.rpartition("/sessions/")[0]

    @property
    def ended(self) -> bool:
        """Whether the connection is known to be gone."""
        return self._master.poll() is not None

    def words(self) -> list[str]:
        """The command that runs a script there, which it reads from its input as `told` says it."""
        return [*self._words(_OPTIONS | _OF_OTHERS), "-S", str(self._socket), "--", self._login, _BOOT]

    def said(
        self,
        script: str,
        feed: Callable[[IO[bytes]], None] | None = None,
        seconds: float = SAID_SECONDS,
        into: IO[bytes] | None = None,
    ) -> bytes:
        """What a script prints there, or nothing where it is written `into` a file; `feed` writes its input. Raises FarCommandError
        where it fails or is late."""
        if self.ended:
            raise FarCommandError(f"the connection to host '{self.name}' is lost")
        process = begun(
            lambda: subprocess.Popen(
                self.words(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE if into is None else into,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        )
        assert process.stdin is not None
        try:
            with suppress(BrokenPipeError):  # it ended before it had read all, and says why
                process.stdin.write(told(script))
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
            raise FarCommandError(f"host '{self.name}': {why[:300]}", said=words)
        return out or b""

    def forward(self, here: Path, there: str) -> None:
        """A socket here that leads to one there; raises ProvisionError."""
        route = ["-L", f"{here}:{there}", "steelyard"]
        asked = ["ssh", "-F", "none", "-S", str(self._socket), "-O"]
        with suppress(OSError, subprocess.SubprocessError):  # of a process that was there before
            children.run([*asked, "cancel", *route], seconds=SAID_SECONDS)
        try:
            done = children.run([*asked, "forward", *route], seconds=SAID_SECONDS)
        except (OSError, subprocess.SubprocessError) as error:
            raise ProvisionError(f"host '{self.name}': no socket can be forwarded: {error}") from None
        if done.returncode != 0:
            raise ProvisionError(
                f"host '{self.name}' forwards no sockets: {' '.join(done.stderr.split())[:200]}",
                hint="its sshd must have AllowStreamLocalForwarding, as it does unless told otherwise",
            )

    def close(self) -> None:
        """End it; what runs there ends with it, and its folder goes."""
        with children.interrupts_held():
            with suppress(OSError, ValueError):
                if self._master.stdin is not None:
                    self._master.stdin.write(b"done\n")  # all that ran there was seen to end
                    self._master.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                self._master.wait(_LINGER_SECONDS + 10)
            children.kill_group(self._master)
            self._folder.cleanup()

    def _beat(self) -> None:
        while not self.ended:
            try:
                if self._master.stdin is None:
                    return
                self._master.stdin.write(b"beat\n")
                self._master.stdin.flush()
            except (OSError, ValueError):
                return
            with suppress(subprocess.TimeoutExpired):
                self._master.wait(BEAT_SECONDS)

    @staticmethod
    def _words(options: dict[str, str]) -> list[str]:
        return ["ssh", "-T", *(word for name, value in options.items() for word in ("-o", f"{name}={value}"))]


def told(script: str) -> bytes:
    """A script as the shell there reads it."""
    lines = script.splitlines()
    return "".join(f"{line}\n" for line in (str(len(lines)), *lines)).encode()


def quoted(words: Sequence[str]) -> str:
    """Words as a shell reads them."""
    return shlex.join(words)


_BY_HAND = "`ssh` to it must work by hand, without a question; the user's own configuration (~/.ssh/config) holds"


def refused(name: str, login: str, said: str) -> ProvisionError:
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
        return no_space(name)
    return ProvisionError(f"host '{name}' cannot be reached: {last}", hint=_BY_HAND)


def is_full(said: str) -> bool:
    """Whether a command there failed since a disk is full or its quota used up; tar says it in its own words."""
    return any(words in said for words in ("No space left", "Wrote only", "quota exceeded"))


def no_space(name: str) -> ProvisionError:
    """That a host cannot hold what is to be copied."""
    return ProvisionError(
        f"host '{name}' has no space for what the subjects need",
        hint="free some there; what earlier runs left in ~/.cache/steelyard/brought may be removed, or XDG_CACHE_HOME set there",
    )
