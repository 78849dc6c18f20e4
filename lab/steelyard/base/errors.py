"""The tree of exceptions. Each carries the message for the user and, where there is one, the next step."""

from __future__ import annotations

import shutil

# The exit codes. 1 also means a regression, and 2 that no verdict was possible.
COULD_NOT = 1
CANNOT_TELL = 2
USED_WRONGLY = 64
DEFECT = 70
INTERRUPTED = 130
EXIT_CODES = (
    "Exit codes: 0 success; 1 failure or regression; 2 no verdict; 64 usage error; 70 internal error; 130 interrupted."
)


def why_unread(error: OSError | UnicodeDecodeError) -> str:
    """Why a file could not be read, without error numbers and offsets."""
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8 text"
    return error.strerror or type(error).__name__


def what_failed(error: OSError) -> str:
    """The file for which an operation failed, and why; of a folder that could not be copied, its first such file."""
    if isinstance(error, shutil.Error) and error.args and isinstance(error.args[0], list):
        source, _, why = error.args[0][0]  # why: [Errno 13] Permission denied: 'the source'
        return f"{source}: {why.partition('] ')[2].partition(': ')[0] or why}"
    if error.filename and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return error.strerror or str(error)


def outside_cause(error: Exception) -> tuple[str, str] | None:
    """The message and hint of an unexpected exception that the machine causes, not a defect; None for any other."""
    limits = "`ulimit -a` shows the limits of this shell"
    unloaded = isinstance(error, ImportError) and "failed to map segment" in str(error)  # of a library
    if isinstance(error, MemoryError) or unloaded:
        return "there is not enough memory", limits
    if isinstance(error, RuntimeError):  # Python has no types for these
        if str(error).startswith("can't start new thread"):
            return "no further thread can be started: a limit on processes or memory was reached", limits
        if str(error).startswith("Symlink loop from"):
            return f"{str(error).partition('from ')[2]} is a symbolic link that leads to itself", "remove the link"
    return None


class SteelyardError(Exception):
    """An error that the user can read and act on.

    `message` is one sentence about the problem, and `hint` the next step (empty where there is none). `exit_code`
    overrides that of the class.
    """

    usual_exit_code = COULD_NOT

    def __init__(self, message: str, hint: str = "", exit_code: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.exit_code = self.usual_exit_code if exit_code is None else exit_code

    def __str__(self) -> str:
        return f"{self.message}\nhint: {self.hint}" if self.hint else self.message


class ConfigurationError(SteelyardError):
    """A file or an argument is missing, malformed or holds something unknown."""

    usual_exit_code = USED_WRONGLY


class UnknownNameError(ConfigurationError):
    """No server, service, study or operation has that name."""


class ToolchainError(SteelyardError):
    """A required toolchain or program is not installed."""


class FetchError(SteelyardError):
    """An artifact could not be fetched, or does not match its pinned hash."""


class BuildError(SteelyardError):
    """A service's implementation could not be built."""


class KeeperError(SteelyardError):
    """A kept process could not be started, queried or stopped."""


class CommandFailedError(KeeperError):
    """A kept command exited with a `code` other than 0 (None: a signal ended it) and this output (`output`)."""

    def __init__(self, message: str, hint: str, code: int | None, output: str) -> None:
        super().__init__(message, hint)
        self.code = code
        self.output = output


class ProvisionError(SteelyardError):
    """A subject could not be started, or died."""


class ContractError(SteelyardError):
    """A subject's answer to an exchange of the contract is not the expected answer."""


class ImportRefusedError(SteelyardError):
    """A service description cannot be converted. Nothing was written."""


class TargetError(SteelyardError):
    """A target may not be loaded, or cannot be reached."""


class NoAnswerError(ContractError):
    """No complete HTTP answer: too late, too large, or not HTTP."""


class EngineError(SteelyardError):
    """The load engine failed."""


class LockError(SteelyardError):
    """Another run holds this machine."""


class StoreError(SteelyardError):
    """A stored file is missing, cut short or malformed. The message names the file and the line."""


class MeasureError(SteelyardError):
    """A measure is malformed. The message names the measure and the key."""


class InsufficientDataError(SteelyardError):
    """A statistic got fewer values than it needs."""
