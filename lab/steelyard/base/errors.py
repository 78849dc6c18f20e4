"""The one tree of exceptions: each carries the text that the user sees, and the next step where there is one."""

from __future__ import annotations

# How a command ends; 1 is also a regression, and 2 what no verdict could be had on.
COULD_NOT = 1
CANNOT_TELL = 2
USED_WRONGLY = 64
DEFECT = 70
INTERRUPTED = 130
EXIT_CODES = (
    "Exit codes: 0 success; 1 failure or regression; 2 cannot tell; 64 usage error; 70 a defect of Steelyard; "
    "130 interrupted."
)


def why_unread(error: OSError | UnicodeDecodeError) -> str:
    """Why a file could not be read, in words for who named it: no number of an error, and no offset in it."""
    if isinstance(error, UnicodeDecodeError):
        return "it is no text in UTF-8"
    return error.strerror or type(error).__name__


class SteelyardError(Exception):
    """Something that the user can read and act on.

    `message` names what is wrong in one sentence, `hint` the next step (empty where there is none), `exit_code` how the
    command ends: as its kind of error does where none is given.
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
    """A file or a word of the user's is missing, broken or holds what is not known."""

    usual_exit_code = USED_WRONGLY


class UnknownNameError(ConfigurationError):
    """A server, service, study or operation of that name is not here."""


class ToolchainError(SteelyardError):
    """A toolchain or program that must be on the machine is not."""


class FetchError(SteelyardError):
    """An artifact could not be fetched, or is not the one that was pinned."""


class BuildError(SteelyardError):
    """A service's implementation could not be built."""


class KeeperError(SteelyardError):
    """A kept process could not be started, asked or ended."""


class CommandFailedError(KeeperError):
    """A kept command ended by itself with another exit code than 0: `code` (None: a signal ended it), and what it `said`."""

    def __init__(self, message: str, hint: str, code: int | None, said: str) -> None:
        super().__init__(message, hint)
        self.code = code
        self.said = said


class ProvisionError(SteelyardError):
    """A subject could not be brought up, or died."""


class ContractError(SteelyardError):
    """A subject's answer to an exchange of the contract is not the expected one."""


class ImportRefusedError(SteelyardError):
    """A description of a service cannot be taken over; nothing of it was kept."""


class TargetError(SteelyardError):
    """A target may not be loaded, or is not there."""


class NoAnswerError(ContractError):
    """No whole answer came over HTTP: not in time, too large, or not HTTP at all."""


class EngineError(SteelyardError):
    """The load engine could not go on."""


class LockError(SteelyardError):
    """Another run holds this machine."""


class StoreError(SteelyardError):
    """A stored file is missing, cut short or not in its format; the message names the file and the line."""


class MeasureError(SteelyardError):
    """A measure of the registry, or of a study, is not well formed; the message names the measure and the key."""


class InsufficientDataError(SteelyardError):
    """A statistic was asked of fewer values than it needs."""
