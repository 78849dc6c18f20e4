"""A host reached by ssh: another machine, on which commands run under keepers as here, with copies of their files.

Paths are this machine's everywhere else: this module maps them to those of the copies. All processes there end with the
connection, which ends with the lab.
"""

from __future__ import annotations

import re
import shlex
import shutil
import signal
import subprocess
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import fields
from ipaddress import IPv4Address
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO

from ..base import children
from ..base.errors import KeeperError, ProvisionError, ToolchainError
from ..models.hosts import Host
from ..models.server import Needs
from ..statistics.clocks import BothClocks
from . import packing, sockets
from .executor import Condition, Ends, Executor, NetworkCounts, kills_in
from .keeper import PROGRAM, UNHEARD_SECONDS, Keeper, binary
from .packing import Tree
from .ssh_connection import ANSWER_SECONDS, Connection, FarCommandError, shell_words
from .ssh_login import is_full, no_space_error
from .toolchain import install, jdk_of
from .topology import parse_list

_COPY_SECONDS = 3600.0
_LOST_SECONDS = 20.0
_FIRST_PATIENCE_SECONDS = 10  # wait for a lab that is just ending there
_REGAIN_PATIENCE_SECONDS = 2 * UNHEARD_SECONDS  # wait for processes of the lost connection to end
_PROGRAMS = (PROGRAM, "steelyard-engine")  # curl is for `ready` commands
_DESCRIBE = """uname -srm
sed -n 's/^Cpus_allowed_list:[[:space:]]*/cpus /p' /proc/self/status
sed -n 's/^model name[[:space:]]*: /model /p' /proc/cpuinfo | head -n 1
sed -n 's/^MemTotal:[[:space:]]*\\([0-9]*\\).*/kib \\1/p' /proc/meminfo
ip -4 -oneline address show
"""
_SOCKETS = """for p in {pids}; do
  [ -d /proc/$p/fd ] || continue
  echo "process $p"
  for f in /proc/$p/fd/*; do readlink "$f"; done
  for t in tcp tcp6 udp udp6; do echo "table $t"; cat /proc/$p/net/$t; done
done 2>/dev/null
:
"""
_CONDITION = """cat /proc/stat && sleep {seconds:g} && echo = && cat /proc/stat || exit 1
echo =
cat /sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor 2>/dev/null
echo =
cat /proc/meminfo
echo =
cat /sys/devices/system/clocksource/clocksource0/current_clocksource 2>/dev/null
:
"""
_JDKS = """for d in "${{STEELYARD_JDK_{major}:-}}" "${{JAVA_HOME:-}}" /usr/lib/jvm/* /usr/lib64/jvm/* /opt/java/*; do
  [ -x "$d/bin/javac" ] || continue
  echo "home $d"
  cat "$d/release"
done 2>/dev/null
:
"""


@contextmanager
def connect_host(name: str, host: Host, near: IPv4Address) -> Iterator[Ends]:
    """The host `name`, held for this lab while the body runs; nothing runs there afterwards, however the body ends.

    Raises ToolchainError where ssh is missing here, ProvisionError where the host is not available.
    """
    if shutil.which("ssh") is None:
        raise ToolchainError(
            f"host '{name}' cannot be reached: the program 'ssh' is missing", hint=install("ssh").hint()
        )
    shown = children.run(["ip", "-4", "-oneline", "address", "show"], seconds=_LOST_SECONDS).stdout
    interface = _interface(shown, near)
    if interface is None:
        raise ProvisionError(
            f"the engine's host is declared to have the address {near}, but no interface of this machine has it",
            hint=f"it must be this machine's address on the link to host '{name}'; `ip address` lists all",
        )
    with ExitStack() as stack:
        reach = SshReach(name, host, Path(stack.enter_context(TemporaryDirectory(prefix="steelyard-"))))
        stack.callback(reach.close)
        reach.connect(_FIRST_PATIENCE_SECONDS)
        yield Ends(reach, interface, reach.interface)


class SshReach(Executor):
    """A host with its own processors, files and clock. `folder` is a local folder for the output of its keeper."""

    apart = True
    python = "python3"

    def __init__(self, name: str, host: Host, folder: Path) -> None:
        super().__init__()
        self._name = name
        self._host = host
        self._folder = folder
        self._connection: Connection | None = None
        self._clock: Keeper | None = None
        self._copies: dict[str, str] = {}  # our paths with their paths there
        self._brought: list[Tree] = []
        self._twins = 0
        self._bytes_here: Counter[str] = Counter()  # copied bytes of each file there
        self._cpus: list[int] = []
        self._facts: dict[str, object] = {}
        self.interface = ""

    def connect(self, patience_seconds: int) -> None:
        """Log in, check the host against its declaration, and start a keeper there for clock queries.

        `patience_seconds` is how long another lab there may take to end. Raises ProvisionError.
        """
        self._connection = Connection(self._name, self._host.login or self._name, patience_seconds)
        self._examine()
        self.provide_trees([Tree(Path(binary(program))) for program in _PROGRAMS])
        self._require_same_keeper()
        with suppress(FileNotFoundError):
            (self._folder / "clock").unlink()
        self._mirror_folder(self._folder)
        self._clock = Keeper(["sleep", "1000000000"], log=self._folder / "clock", reach=self)

    def close(self) -> None:
        """End all processes there, and the connection."""
        if self._clock is not None:
            with suppress(KeeperError):  # a lost connection cannot be closed properly
                self._clock.kill()
            self._clock = None
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _examine(self) -> None:
        lines = self._output_of(_DESCRIBE).decode(errors="replace").splitlines()
        kernel, release, architecture = lines[0].split()
        facts = dict(line.split(" ", 1) for line in lines if line.startswith(("cpus ", "model ", "kib ")))
        ours = children.run(["uname", "-m"], seconds=_LOST_SECONDS).stdout.strip()
        if architecture != ours:
            raise ProvisionError(
                f"host '{self._name}' is a machine of another kind ({architecture}, and this one is {ours}): "
                "programs built here do not run there",
                hint="use a host with this machine's architecture",
            )
        interface = _interface("\n".join(lines), self._host.address)
        if interface is None:
            raise ProvisionError(
                f"host '{self._name}' is declared to have the address {self._host.address}, but none of its interfaces has it",
                hint="`ip address` there lists its addresses; servers listen on the declared address only",
            )
        self.interface = interface
        self._cpus = list(parse_list(facts["cpus"]))
        self._facts = {
            "processor": facts.get("model", ""),
            "processors": len(self._cpus),
            "memory_bytes": int(facts.get("kib", 0)) * 1024,
            "kernel": f"{kernel} {release}",
        }

    def _require_same_keeper(self) -> None:
        """Raise ProvisionError where the copied keeper does not run there, or has another version."""
        program = binary(PROGRAM)
        ours = children.run([program, "--version"], seconds=_LOST_SECONDS).stdout.strip()
        try:
            theirs = (
                self._output_of(shell_words([self.remote_words(program), "--version"])).decode(errors="replace").strip()
            )
        except FarCommandError as error:
            raise ProvisionError(
                f"the keeper does not run on host '{self._name}': {error.message.partition(': ')[2]}",
                hint="it is built here, and needs a C library there that is no older than ours",
            ) from None
        if theirs != ours:
            raise ProvisionError(
                f"host '{self._name}' has another version of the keeper: '{theirs[:80]}', but here is '{ours}'",
                hint=f"remove the copies there: {self._connect().root}",
            )

    # commands there

    @property
    def keeper_options(self) -> Sequence[str]:
        return ("--unheard", str(UNHEARD_SECONDS))

    def begin(self, argv: Sequence[str], cwd: Path | None, environment: Mapping[str, str]) -> subprocess.Popen[str]:
        connection = self._connect()
        words = [self.remote_words(word) for word in argv]
        script = [
            f"cd {shlex.quote(self.remote_words(str(cwd)) if cwd is not None else connection.session)} || exit 1",
            f"PATH={':'.join(shlex.quote(str(Path(self._copies[binary(name)]).parent)) for name in _PROGRAMS)}:$PATH",
            *(f"export {name}={shlex.quote(self.remote_words(value))}" for name, value in environment.items()),
            # left by an earlier process that had no time to remove it
            *(f"rm -f {shlex.quote(path)}" for option, path in pairwise(words) if option == "--control"),
            f"exec {shell_words(words)}",
        ]
        return connection.start_command("\n".join(script))

    def remote_words(self, text: str) -> str:
        """A word of a command, with each path of ours replaced by that of its copy."""
        if not self._copies:
            return text
        known = "|".join(re.escape(path) for path in sorted(self._copies, key=len, reverse=True))
        return re.sub(rf"(?<![\w./])(?:{known})(?![\w.-])", lambda path: self._copies[path[0]], text)

    def join(self, control: Path) -> None:
        try:
            self._connect().forward(control, self.remote_words(str(control)))
        except ProvisionError as error:
            raise KeeperError(error.message, error.hint) from None

    def provide_trees(self, trees: Sequence[Tree]) -> None:
        for tree in trees:
            if tree not in self._brought:
                self._brought.append(tree)
            digest = packing.digest(tree)
            place = f"{self._connect().root}/{digest}"
            if self._output_of(f"[ -e {shlex.quote(place)} ] && echo there || :") == b"":
                self._copy(tree, place)
            self._is_copied(tree.base, f"{place}/{tree.base.name}" if tree.base.is_file() else place)

    def _copy(self, tree: Tree, place: str) -> None:
        root, _, name = place.rpartition("/")
        part, whole = shlex.quote(f"{root}/.{name}"), shlex.quote(place)
        script = f"mkdir -p {part} && tar xf - --no-same-owner -C {part} && mv {part} {whole} && exit 0\nrm -rf {part}\nexit 1"
        try:
            self._output_of(script, lambda stream: packing.write(tree, stream), _COPY_SECONDS)
        except FarCommandError as error:
            if is_full(error.output):
                raise no_space_error(self._name) from None
            raise

    @contextmanager
    def mirror_folder(self, folder: Path) -> Iterator[None]:
        names = (str(folder.absolute()), str(folder.resolve()))
        if names[0] in self._copies:  # made for another subject of the same trial
            yield
            return
        place = self._mirror_folder(folder)
        try:
            yield
        finally:
            for name in names:
                self._copies.pop(name, None)
            with suppress(ProvisionError):  # after a lost connection it is removed with the session's folder
                self._output_of(f"rm -rf {shlex.quote(place)}")

    def _mirror_folder(self, folder: Path) -> str:
        self._twins += 1
        place = f"{self._connect().session}/{self._twins}"
        self._output_of(f"mkdir {shlex.quote(place)}")
        self._is_copied(folder, place)
        return place

    def _is_copied(self, here: Path, place: str) -> None:
        self._copies |= {str(here.absolute()): place, str(here.resolve()): place}

    def send(self, file: Path) -> None:
        content = file.read_bytes()

        def write_files(stream: IO[bytes]) -> None:
            stream.write(content)

        self._output_of(f"cat > {shlex.quote(self.remote_words(str(file.absolute())))}", write_files)

    def fetch_file(self, file: Path) -> None:
        there = self.remote_words(str(file))
        if there == str(file):
            return
        with suppress(ProvisionError):  # nothing more can be copied from a lost host
            new = self._output_of(f"tail -c +{self._bytes_here[there] + 1} {shlex.quote(there)} 2>/dev/null || :")
            self._bytes_here[there] += len(new)
            with file.open("ab") as kept:
                kept.write(new)

    def fetch_matching(self, folder: Path, names: Sequence[str]) -> None:
        place = shlex.quote(self.remote_words(str(folder.absolute())))
        script = (
            f'cd {place} && for f in {" ".join(names)}; do [ ! -e "$f" ] || printf "%s\\n" "$f"; done | tar cf - -T -'
        )
        with TemporaryFile() as packed:
            self._connect().output_of(script, seconds=_COPY_SECONDS, into=packed)
            packed.seek(0)
            try:
                packing.unpack(packed, folder)
            except ValueError:
                raise FarCommandError(f"host '{self._name}' sent a corrupt tar file") from None

    def deny_file_writes(self, pid: int) -> None:
        self._output_of(f"[ ! -e /proc/{pid} ] || prlimit --pid {pid} --fsize=0:")

    def require(self, needs: Needs, wanted_by: str) -> dict[str, str]:
        # Its commands may be needed only by the build, which runs here; a start without one reports it in its log.
        if needs.jdk is None:
            return {}
        output = self._output_of(_JDKS.format(major=needs.jdk)).decode(errors="replace")
        homes = dict(each.partition("\n")[::2] for each in output.split("home ")[1:])
        home = jdk_of(homes, needs.jdk, needs.jdk_vendor)
        if home is None:
            raise ToolchainError(
                f"{wanted_by} needs a JDK {needs.jdk}, which is not on host '{self._name}'",
                hint=f"{install(f'jdk-{needs.jdk}').hint()}; or set STEELYARD_JDK_{needs.jdk} there to its folder",
            )
        return {"JAVA_HOME": home}

    # queries of its state

    def listening(self, pids: Collection[int]) -> list[sockets.Listening]:
        return sockets.listening_of(self._sockets(pids))

    def calls(self, pids: Collection[int]) -> sockets.Calls:
        return sockets.calls_of(self._sockets(pids))

    def _sockets(self, pids: Collection[int]) -> list[sockets.Seen]:
        output = self._output_of(_SOCKETS.format(pids=" ".join(map(str, pids)))).decode(errors="replace")
        return [_parse_sockets(each) for each in re.split(r"^process \d+\n", output, flags=re.M)[1:]]

    def signal(self, pid: int, number: signal.Signals) -> None:
        self._output_of(f"kill -{number.value} {pid} 2>/dev/null || :")

    def network(self) -> NetworkCounts:
        try:
            output = self._output_of("cat /proc/net/dev && echo = && cat /proc/net/snmp").decode("ascii")
        except ProvisionError as error:
            raise OSError(error.message) from None
        devices, _, protocols = output.partition("=\n")
        return NetworkCounts(devices, protocols)

    def processors(self) -> list[int]:
        return self._cpus

    def processor_times(self) -> str | None:
        try:
            return self._output_of("cat /proc/stat").decode("ascii", errors="replace")
        except ProvisionError:
            return None

    def condition(self, seconds: float) -> Condition | None:
        try:
            output = self._output_of(_CONDITION.format(seconds=seconds)).decode("ascii", errors="replace").split("=\n")
        except ProvisionError:
            return None
        return Condition(*output) if len(output) == len(fields(Condition)) else None

    def kernel_kills(self) -> int:
        try:
            return kills_in(self._output_of("cat /proc/vmstat").decode("ascii", errors="replace"))
        except ProvisionError:
            return 0

    def time(self) -> BothClocks | None:
        if self._clock is None:
            raise KeeperError(f"host '{self._name}' is not connected")
        return self._clock.time()

    def describe(self) -> dict[str, object]:
        return self._facts

    def is_lost(self) -> bool:
        try:
            self._output_of(":", seconds=_LOST_SECONDS)
        except ProvisionError:
            return True
        return False

    def regain(self) -> None:
        self.close()
        self.connect(_REGAIN_PATIENCE_SECONDS)
        self.provide_trees(self._brought)

    def _output_of(
        self, script: str, feed: Callable[[IO[bytes]], None] | None = None, seconds: float = ANSWER_SECONDS
    ) -> bytes:
        return self._connect().output_of(script, feed, seconds)

    def _connect(self) -> Connection:
        if self._connection is None:
            raise FarCommandError(f"host '{self._name}' is not connected")
        return self._connection


def _interface(shown: str, address: IPv4Address) -> str | None:
    """The interface that has an address, from the output of `ip -4 -oneline address show`."""
    for line in shown.splitlines():
        words = line.split()
        if "inet" in words and words[words.index("inet") + 1].partition("/")[0] == str(address):
            return words[1]
    return None


def _parse_sockets(output: str) -> sockets.Seen:
    """The sockets of one process, from the output of `_SOCKETS`."""
    own, *tables = re.split(r"^table (\w+)\n", output, flags=re.M)
    return sockets.Seen(frozenset(own.split()), dict(zip(tables[::2], tables[1::2], strict=True)))
