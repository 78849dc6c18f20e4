"""Exports a service's requests to other load tools, for comparison with Steelyard; the output lists what a tool does
not support."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from ...base.csvfiles import write_bytes
from ...base.errors import ConfigurationError
from ...models.outputs.other_tools import ExportedTool
from ...models.outputs.own_service import LeftOut
from .hyperfoil import hyperfoil_files
from .jmeter import jmeter_files
from .k6 import k6_files
from .k6_grpc import k6_grpc_files
from .planned import PlannedExport

TOOLS: Mapping[str, Callable[[PlannedExport], tuple[Mapping[str, str | bytes], list[LeftOut]]]] = {
    "k6": lambda plan: k6_grpc_files(plan) if plan.load_target.meaning == "grpc" else k6_files(plan),
    "jmeter": jmeter_files,
    "hyperfoil": hyperfoil_files,
}


def export(plan: PlannedExport, tool: str, folder: Path) -> ExportedTool:
    """Write the files for a tool into `folder`; raises ConfigurationError if one exists already, or StoreError."""
    files, left_out = TOOLS[tool](plan)
    lost = {omitted.what for omitted in left_out}
    names = [unit.name for unit in plan.units if unit.name not in lost]
    if not names:
        reasons = "; ".join(f"{omitted.what}: {omitted.why}" for omitted in left_out)
        raise ConfigurationError(f"{tool} supports no operation of {plan.load_target.name}: {reasons}")
    paths = [folder / name for name in files]
    there = next((path for path in paths if path.exists()), None)
    if there is not None:
        raise ConfigurationError(f"{there} exists already", hint="choose another folder with --out, or remove it")
    folder.mkdir(parents=True, exist_ok=True)
    for path, content in zip(paths, files.values(), strict=True):
        write_bytes(path, content if isinstance(content, bytes) else content.encode())
    return ExportedTool(tool=tool, files=[str(path) for path in paths], operations=names, left_out=left_out)
