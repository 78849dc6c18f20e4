"""`import` from a description's address to a service folder, and what it says of it."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from lxml import etree

from ..base.errors import ImportRefusedError
from ..models.outputs import ImportOutput, LeftOut
from .documents import Document, is_url, origin, read_all
from .envelopes import envelope_of, headers_of
from .folder import SampledOperation, changes_data, write_service
from .names import one_line
from .samples import SampleMaker
from .schemas import DRIVER, write_schemas
from .values import UnmetError
from .wsdl import Left, OperationFound, WsdlFound, read_wsdl

_CONTRACT = "contract"


def take_over(place: str, out: Path, also: Sequence[str], ports: Sequence[str] = ()) -> ImportOutput:
    """Read the description at `place` and write the service folder `out`, whole or not at all; of `ports`, if any are named,
    only those.

    Raises ImportRefusedError, with nothing written, where it cannot be read or no operation of it can be taken over.
    """
    _require_free(out)
    documents = read_all(place, also)
    found = read_wsdl(documents)
    _keep_asked(found, ports)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".import-", dir=out.parent) as scratch:
        made = Path(scratch) / "made"
        (made / _CONTRACT).mkdir(parents=True)
        schemas = write_schemas(documents, found.operations, made / _CONTRACT)
        for number, document in enumerate(documents):
            if number == 0 or "definitions" in str(document.root.tag):
                _save(document, made / _CONTRACT / ("service.wsdl" if number == 0 else f"part-{number}.wsdl"))
        sampled = _sampled(found, SampleMaker(schemas))
        notes = [*found.notes, *schemas.notes, *_notes(place, sampled)]
        if not sampled:
            why = f": {found.left[0].what}: {found.left[0].why}" if found.left else ""
            raise ImportRefusedError(f"no operation of {place} can be taken over{why}")
        name = name_of(out)
        schema, contract = f"{_CONTRACT}/{DRIVER}", f"{_CONTRACT}/service.wsdl"
        write_service(made, name, place, sampled, schema=schema, contract=contract)
        if out.is_dir():
            out.rmdir()
        made.chmod(0o755)
        made.rename(out)
    return ImportOutput(
        service=name,
        folder=str(out),
        source=place,
        operations=len(sampled),
        samples_valid=len(sampled),
        taken=[one.found.name for one in sampled],
        changing=[one.found.name for one in sampled if changes_data(one.found)],
        left_out=[LeftOut(what=one.what, why=one.why) for one in found.left],
        notes=list(dict.fromkeys(notes)),
        documents=len(documents),
    )


def name_of(out: Path) -> str:
    """The service's name, from that of its folder."""
    return re.sub(r"[^a-z0-9-]+", "-", out.resolve().name.lower()).strip("-")[:60] or "service"


def _require_free(out: Path) -> None:
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ImportRefusedError(
            f"{out} is there already and not empty", hint="--out names another folder, or remove it"
        )


def _keep_asked(found: WsdlFound, ports: Sequence[str]) -> None:
    """Leave out, with the reason, what was not asked for, and what runs on another server than the first operation."""
    known = {one.port for one in found.operations}
    for wanted in ports:
        if wanted not in known:
            raise ImportRefusedError(
                f"there is no port '{wanted}' that can be taken over", hint=f"there are {', '.join(sorted(known))}"
            )
    kept: list[OperationFound] = []
    for one in found.operations:
        if ports and one.port not in ports:
            found.left.append(Left(f"operation {one.name}", f"its port {one.port} was not asked for"))
        elif kept and origin(one.address) != origin(kept[0].address):
            why = f"it runs at {origin(one.address)}, others at {origin(kept[0].address)}; import it again with --port {one.port}"
            found.left.append(Left(f"operation {one.name} of port {one.port}", why))
        else:
            kept.append(one)
    # A name that was only prolonged for the sake of what was left out.
    plain = {one.name.partition(".")[0] for one in kept}
    if len(plain) == len(kept):
        kept = [replace(one, name=one.name.partition(".")[0]) for one in kept]
    found.operations[:] = kept


def _sampled(found: WsdlFound, maker: SampleMaker) -> list[SampledOperation]:
    sampled = []
    for one in found.operations:
        try:
            headers_of(one)
            sampled.append(SampledOperation(one, envelope_of(one, maker)))
        except UnmetError as error:
            found.left.append(
                Left(f"operation {one.name}", f"no valid request can be made for it: {one_line(str(error), 300)}")
            )
    return sampled


def _notes(place: str, sampled: Sequence[SampledOperation]) -> list[str]:
    if not sampled:
        return []
    address = sampled[0].found.address
    if is_url(place) and urlsplit(place).netloc != urlsplit(address).netloc:
        where = f"the description came from {origin(place)}, but says that the service is at {origin(address)}"
        return [f"{where}: look at `target` in service.toml"]
    return []


def _save(document: Document, path: Path) -> None:
    etree.ElementTree(document.root).write(str(path), encoding="UTF-8", xml_declaration=True)
