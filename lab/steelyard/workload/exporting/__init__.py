"""A service's requests in the words of other load tools, so that we can be held against them; what they cannot say is named."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from ...base.csvfiles import write_text
from ...base.errors import ConfigurationError
from ...models.outputs.other_tools import ExportedTool
from ...models.outputs.own_service import LeftOut
from .hyperfoil import hyperfoil_files
from .k6 import k6_files
from .planned import PlannedExport

TOOLS: Mapping[str, Callable[[PlannedExport], tuple[dict[str, str], list[LeftOut]]]] = {
    "k6": k6_files,
    "hyperfoil": hyperfoil_files,
}


def export(plan: PlannedExport, tool: str, folder: Path) -> ExportedTool:
    """Write the files of a tool into `folder`; raises ConfigurationError where one is there already, or StoreError."""
    files, left_out = TOOLS[tool](plan)
    lost = {omitted.what for omitted in left_out}
    names = [operation.name for operation in plan.operations if operation.name not in lost]
    if not names:
        reasons = "; ".join(f"{omitted.what}: {omitted.why}" for omitted in left_out)
        raise ConfigurationError(f"nothing of {plan.asked.name} can be said to {tool}: {reasons}")
    paths = [folder / name for name in files]
    there = next((path for path in paths if path.exists()), None)
    if there is not None:
        raise ConfigurationError(f"{there} is there already", hint="--out names another folder, or remove it")
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in zip(paths, files.values(), strict=True):
        write_text(path, text)
    return ExportedTool(tool=tool, files=[str(path) for path in paths], operations=names, left_out=left_out)
