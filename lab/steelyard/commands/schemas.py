"""The JSON Schemas of contracts/, generated from the models: `python -m steelyard.commands.schemas [--check]`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pydantic import BaseModel

from ..base import paths
from ..models import (
    calibration,
    cluster,
    hosts,
    job,
    live,
    published_conclusions,
    records,
    server,
    service,
    study,
    tuning_lists,
    verdict,
)
from ..models.outputs import beside, catalogue, loading, other_tools, own_service, run, trying

MODELS: dict[str, type[BaseModel]] = {
    "job": job.Job,
    "server": server.Server,
    "server-included": server.SharedDescriptor,
    "service": service.Service,
    "format": service.Format,
    "exchange": service.Exchange,
    "study": study.Study,
    "hosts": hosts.Hosts,
    "engine-hosts": hosts.EngineHosts,
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
    "run-output": run.RunOutput,
    "check-output": run.CheckOutput,
    "beside-output": beside.BesideOutput,
    "why-output": run.WhyOutput,
    "servers-output": catalogue.ServersOutput,
    "server-output": catalogue.ServerDetail,
    "studies-output": catalogue.StudiesOutput,
    "services-output": catalogue.ServicesOutput,
    "doctor-output": catalogue.DoctorOutput,
    "import-output": own_service.ImportOutput,
    "add-output": own_service.AddOutput,
    "load-output": loading.LoadOutput,
    "limit-output": loading.LimitOutput,
    "comparison-output": loading.RunningComparison,
    "try-output": trying.TryOutput,
    "mock-output": trying.MockOutput,
    "record-output": own_service.RecordOutput,
    "export-output": other_tools.ExportOutput,
    "tables-output": other_tools.TablesOutput,
    "judge-output": other_tools.JudgeOutput,
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
    """Write contracts/, or with --check list stale files and fail."""
    folder = paths.root() / "contracts"
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
