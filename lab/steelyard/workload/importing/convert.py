"""The `import` command: a description's address, or another tool's file, becomes a service folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from lxml import etree

from ...base.errors import ImportRefusedError
from ...models.outputs.own_service import ImportOutput, LeftOut
from . import kinds
from .catalogs import Catalog, read_catalog
from .convert_requests import convert_requests, read_known_file
from .documents import REFERRING, Document, is_url, origin, read_all, read_first, require_target
from .envelopes import answer_element, body_element, envelope_of, headers_of
from .folder import SampledOperation, changes_data, write_service
from .names import one_line
from .new_folder import folder_at, name_of, require_free
from .samples import SampleMaker
from .schemas import DRIVER, Schemas, write_schemas
from .values import UnmetError
from .wsdl import Left, WsdlDescription, WsdlOperation, read_wsdl

_CONTRACT = "contract"


def convert_description(
    place: str,
    out: Path,
    also: Sequence[str],
    ports: Sequence[str] = (),
    target: str = "",
    *,
    assets: bool = False,
    catalog: str = "",
) -> ImportOutput:
    """Read the description, or the file of requests, at `place` and write the service folder `out`, whole or not at
    all.

    `ports` (of OpenAPI and files of requests: servers) limits the import to those named. `target` is the URL of the server
    that is loaded, in place of the one that stands there. `assets` of a recorded visit (HAR) are left out unless they are wanted.
    `catalog` is the file of an XML catalog for the imports of a WSDL.
    Raises ImportRefusedError, with nothing written, if the description cannot be read or no operation can be imported.
    """
    require_free(out)
    require_target(target)
    scheme, there, _ = place.partition("://")
    if there and scheme.lower() not in ("http", "https", *kinds.GRPC_SCHEMES):
        raise ImportRefusedError(
            f"{place} cannot be read: the scheme {scheme} is not supported",
            hint="give an http or https address, or a file",
        )
    if assets and (catalog or kinds.is_asked(place)):
        raise _without_assets(place)
    if catalog:  # only a WSDL has use for one
        return _convert_wsdl(place, out, also, ports, target, catalog=read_catalog(catalog))
    if kinds.is_asked(place):
        return _convert_asked(place, out, ports, target)
    return _convert_document(place, out, also, ports, target, assets=assets)


def _without_assets(place: str) -> ImportRefusedError:
    return ImportRefusedError(f"{place} is not a HAR file, so it has no assets", hint="leave --assets out")


def _convert_asked(place: str, out: Path, ports: Sequence[str], target: str) -> ImportOutput:
    """Ask a server for its own description, by introspection or reflection, and convert that."""
    if kinds.is_graphql_endpoint(place):
        from .graphql.reading import ask_schema

        return _convert_graphql(ask_schema(place), place, out, ports, target)
    from .grpc.reflection import ask_contract, server_of

    server = server_of(place)
    return _convert_grpc(ask_contract(server), server, out, ports, target or server)


def _convert_document(
    place: str, out: Path, also: Sequence[str], ports: Sequence[str], target: str, *, assets: bool
) -> ImportOutput:
    """Convert a document by its kind."""
    known = read_known_file(place)
    if known is not None:
        with folder_at(out) as made:
            return convert_requests(known, made, name_of(out), out, ports, target, assets=assets)
    if assets:
        raise _without_assets(place)
    raw = read_first(place)
    kinds.require_importable(raw[: kinds.HEAD_BYTES], place)
    if kinds.is_proto(raw, place):
        from .grpc.compiling import compile_proto

        return _convert_grpc(compile_proto(place, also), place, out, ports, target)
    if kinds.is_compiled_proto(raw, place):
        return _convert_grpc(raw, place, out, ports, target)
    if kinds.is_graphql(raw, place):
        return _convert_graphql(raw, place, out, ports, target)
    if kinds.is_openapi(raw, place):
        from .openapi.convert import import_openapi  # not needed for a WSDL
        from .openapi.references import OpenApiDocuments

        with folder_at(out) as made:
            return import_openapi(OpenApiDocuments(place, raw, also), name_of(out), made, str(out), ports, target)
    return _convert_wsdl(place, out, also, ports, target, raw=raw)


def _convert_wsdl(
    place: str,
    out: Path,
    also: Sequence[str],
    ports: Sequence[str],
    target: str,
    *,
    raw: bytes | None = None,
    catalog: Catalog | None = None,
) -> ImportOutput:
    """Convert a WSDL, whose content is `raw` if it was read already."""
    documents = read_all(place, also, raw, catalog)
    description = read_wsdl(documents, target)
    _keep_selected(description, ports)
    with folder_at(out) as made:
        return _import_wsdl(place, out, made, documents, description)


def _convert_graphql(raw: bytes, place: str, out: Path, ports: Sequence[str], target: str) -> ImportOutput:
    from .graphql.convert import endpoint_of, import_graphql  # not needed for other descriptions

    with folder_at(out) as made:
        return import_graphql(raw, place, endpoint_of(place, target), name_of(out), made, str(out), ports)


def _convert_grpc(contract: bytes, place: str, out: Path, ports: Sequence[str], target: str) -> ImportOutput:
    from .grpc.convert import import_grpc  # not needed for other descriptions

    with folder_at(out) as made:
        return import_grpc(contract, place, target, name_of(out), made, str(out), ports)


def _import_wsdl(
    place: str, out: Path, made: Path, documents: Sequence[Document], description: WsdlDescription
) -> ImportOutput:
    (made / _CONTRACT).mkdir(parents=True)
    schemas = write_schemas(documents, description.operations, made / _CONTRACT)
    _save_descriptions(documents, schemas.files, made / _CONTRACT)
    sampled = _sample_operations(description, schemas)
    notes = [*description.notes, *schemas.notes, *_notes(place, sampled)]
    if not sampled:
        why = f": {description.left[0].component}: {description.left[0].why}" if description.left else ""
        raise ImportRefusedError(f"no operation of {place} can be imported{why}")
    name = name_of(out)
    schema, contract = f"{_CONTRACT}/{DRIVER}", f"{_CONTRACT}/service.wsdl"
    write_service(made, name, place, sampled, schema=schema, contract=contract)
    return ImportOutput(
        service=name,
        folder=str(out),
        source=place,
        operations=len(sampled),
        samples_valid=len(sampled),
        taken=[sample.operation.name for sample in sampled],
        changing=[sample.operation.name for sample in sampled if changes_data(sample.operation)],
        left_out=[LeftOut(what=left.component, why=left.why) for left in description.left],
        notes=list(dict.fromkeys(notes)),
        documents=len(documents),
    )


def _keep_selected(description: WsdlDescription, ports: Sequence[str]) -> None:
    """Leave out, with the reason, operations of ports that the user did not select, and operations on another server
    than the first."""
    known = {operation.port for operation in description.operations}
    for wanted in ports:
        if wanted not in known:
            raise ImportRefusedError(
                f"no port '{wanted}' can be imported", hint=f"known ports: {', '.join(sorted(known))}"
            )
    kept: list[WsdlOperation] = []
    for operation in description.operations:
        if ports and operation.port not in ports:
            description.left.append(Left(f"operation {operation.name}", f"its port {operation.port} was not selected"))
        elif kept and origin(operation.address) != origin(kept[0].address):
            places = f"it runs at {origin(operation.address)}, others at {origin(kept[0].address)}"
            why = f"{places}; import it again with --port {operation.port}"
            description.left.append(Left(f"operation {operation.name} of port {operation.port}", why))
        else:
            kept.append(operation)
    # Shorten names that were only lengthened to differ from operations that are now left out.
    plain = {operation.name.partition(".")[0] for operation in kept}
    if len(plain) == len(kept):
        kept = [replace(operation, name=operation.name.partition(".")[0]) for operation in kept]
    description.operations[:] = kept


def _sample_operations(description: WsdlDescription, schemas: Schemas) -> list[SampledOperation]:
    maker = SampleMaker(schemas)
    sampled = []
    for operation in description.operations:
        try:
            for element in (body_element(operation), answer_element(operation)):
                if element is not None and element in schemas.unmet:
                    raise UnmetError(schemas.unmet[element])
            headers_of(operation)
            sampled.append(SampledOperation(operation, envelope_of(operation, maker)))
        except UnmetError as error:
            description.left.append(
                Left(f"operation {operation.name}", f"no valid request can be made for it: {one_line(str(error), 300)}")
            )
    return sampled


def _notes(place: str, sampled: Sequence[SampledOperation]) -> list[str]:
    if not sampled:
        return []
    address = sampled[0].operation.address
    if is_url(place) and urlsplit(place).netloc != urlsplit(address).netloc:
        where = f"the description came from {origin(place)}, but gives {origin(address)} as the service's address"
        return [f"{where}: check `target` in service.toml"]
    return []


def _save_descriptions(documents: Sequence[Document], schema_files: Mapping[str, str], folder: Path) -> None:
    """Write the WSDL documents, which refer to each other and to the schemas by the names of their files there."""
    names = {
        document.place: "service.wsdl" if number == 0 else f"part-{number}.wsdl"
        for number, document in enumerate(documents)
        if number == 0 or "definitions" in str(document.root.tag)
    }
    known = {**schema_files, **names}
    for document in documents:
        if document.place not in names:
            continue
        for element in document.root.iter(*REFERRING):
            attribute = REFERRING[str(element.tag)]
            location = element.get(attribute)
            if location and document.resolve(location) in known:
                element.set(attribute, known[document.resolve(location)])
        etree.ElementTree(document.root).write(
            str(folder / names[document.place]), encoding="UTF-8", xml_declaration=True
        )
