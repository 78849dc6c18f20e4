"""The JSON Schemas of contracts/, generated from the models: `python -m steelyard.commands.schemas [--check]`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pydantic import BaseModel

from ..base import house
from ..models import (
    calibration,
    cluster,
    job,
    live,
    outputs,
    published_conclusions,
    records,
    server,
    service,
    study,
    tuning_lists,
    verdict,
)

MODELS: dict[str, type[BaseModel]] = {
    "job": job.Job,
    "server": server.Server,
    "server-included": server.SharedDescriptor,
    "service": service.Service,
    "format": service.Format,
    "exchange": service.Exchange,
    "study": study.Study,
    "claims": published_conclusions.Conclusions,
    "tuning": tuning_lists.TuningList,
    "tuning-settings": tuning_lists.SettingNames,
    "schedule": records.Schedule,
    "trial": records.TrialRecord,
    "verdicts": verdict.Verdicts,
    "live": live.RunningNow,
    "calibration": calibration.Calibration,
    "cluster": cluster.ClusterRun,
    "machines": cluster.MachinesVerdict,
    "run-output": outputs.RunOutput,
    "beside-output": outputs.BesideOutput,
    "why-output": outputs.WhyOutput,
    "servers-output": outputs.ServersOutput,
    "server-output": outputs.ServerDetail,
    "studies-output": outputs.StudiesOutput,
    "services-output": outputs.ServicesOutput,
    "doctor-output": outputs.DoctorOutput,
    "import-output": outputs.ImportOutput,
    "compliance-output": outputs.ComplianceOutput,
    "add-output": outputs.AddOutput,
    "load-output": outputs.LoadOutput,
    "limit-output": outputs.LimitOutput,
    "comparison-output": outputs.RunningComparison,
    "try-output": outputs.TryOutput,
    "mock-output": outputs.MockOutput,
    "record-output": outputs.RecordOutput,
    "export-output": outputs.ExportOutput,
    "tables-output": outputs.TablesOutput,
    "judge-output": outputs.JudgeOutput,
}


def texts() -> dict[str, str]:
    """The content of each file of contracts/, by its name."""
    return {
        f"{name}.schema.json": json.dumps(
            {"$schema": "https://json-schema.org/draft/2020-12/schema", **model.model_json_schema()}, indent=2
        )
        + "\n"
        for name, model in MODELS.items()
    }


def stale(folder: Path) -> list[str]:
    """Names of files in `folder` that differ from the models, or are missing."""
    return [
        name for name, text in texts().items() if not (folder / name).is_file() or (folder / name).read_text() != text
    ]


def main() -> int:
    """Write contracts/, or with --check say which files are stale and fail."""
    folder = house.root() / "contracts"
    if "--check" in sys.argv[1:]:
        old = stale(folder)
        if old:
            print(f"contracts/ is stale: {', '.join(old)}; `make contracts` rewrites it", file=sys.stderr)
        return 1 if old else 0
    folder.mkdir(exist_ok=True)
    for name, text in texts().items():
        (folder / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
