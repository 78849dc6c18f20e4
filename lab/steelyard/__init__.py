"""Steelyard's laboratory: from a study file to a verdict.

In Python, `steelyard.open_run(FOLDER)` opens what is stored of a run, and its tables are rows, or data frames of pandas or Polars:

    run = steelyard.open_run("runs/...")
    slices = run.table("slices").to_pandas()
"""

from __future__ import annotations

TYPE_CHECKING = False  # as type checkers read it: the entry point loads little
if TYPE_CHECKING:
    from .base.errors import SteelyardError
    from .results.tabular.opened_run import OpenedRun, open_run
    from .results.tabular.stored_table import StoredColumn, StoredTable

__version__ = "0.1.0"
__all__ = ["OpenedRun", "SteelyardError", "StoredColumn", "StoredTable", "__version__", "open_run"]
_PLACES = {
    "SteelyardError": "base.errors",
    "OpenedRun": "results.tabular.opened_run",
    "open_run": "results.tabular.opened_run",
    "StoredColumn": "results.tabular.stored_table",
    "StoredTable": "results.tabular.stored_table",
}


def __getattr__(name: str) -> object:
    """What the package offers, imported when it is first asked for: the command line need not wait for it."""
    if name not in _PLACES:
        raise AttributeError(f"module 'steelyard' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(f".{_PLACES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
