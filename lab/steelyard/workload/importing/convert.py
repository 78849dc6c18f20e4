"""The `import` command: a description's address, or another tool's file, becomes a service folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from lxml import etree

from ...base.errors import ImportRefusedError
from ...models.outputs.own_service import ImportOutput
from . import kinds
from .catalogs import Catalog, read_catalog
from .convert_requests import convert_requests, read_known_file, require_description
from .documents import REFERRING, Document, is_url, origin, read_all, read_first, require_target
from .envelopes import answer_element, body_element, envelope_of, headers_of
from .folder import SampledOperation, changes_data, first_reason, import_output, write_service
from .left_out import Left
from .names import XSD, local, one_line, space
from .new_folder import folder_at, name_of, require_free
from .samples import SampleMaker
from .schemas import DRIVER, Schemas, write_schemas
from .values import UnmetError
from .wsdl import WsdlDescription, WsdlOperation, read_wsdl

_CONTRACT = "contract"


@dataclass(frozen=True)
class _Wanted:
    """What an import is asked for: see `convert_description`."""

    place: str
    out: Path
    also: Sequence[str]
    ports: Sequence[str]
    target: str


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
    if assets and (catalog or kinds.is_self_describing(place)):
        raise _without_assets(place)
    wanted = _Wanted(place, out, also, ports, target)
    if catalog:  # only a WSDL has use for one
        imported = _convert_wsdl(wanted, catalog=read_catalog(catalog))
        return _with_kind(imported, kinds.Form.WSDL.value, "--catalog is for a WSDL")
    return _convert_server(wanted) if kinds.is_self_describing(place) else _convert_document(wanted, assets=assets)


def _without_assets(place: str) -> ImportRefusedError:
    return ImportRefusedError(f"{place} is not a HAR file, so it has no assets", hint="leave --assets out")


def _with_kind(imported: ImportOutput, kind: str, shown_by: str) -> ImportOutput:
    return imported.model_copy(update={"kind": kind, "shown_by": shown_by})


def _convert_server(wanted: _Wanted) -> ImportOutput:
    """Ask a server for its own description, by introspection or reflection, and convert that."""
    if kinds.is_graphql_endpoint(wanted.place):
        from .graphql.reading import ask_schema

        imported = _convert_graphql(ask_schema(wanted.place), wanted)
        return _with_kind(imported, kinds.Form.GRAPHQL.value, "the server answers introspection")
    from .grpc.reflection import ask_contract, server_of

    server = server_of(wanted.place)
    wanted = replace(wanted, place=server, target=wanted.target or server)
    return _with_kind(_convert_grpc(ask_contract(server), wanted), "a gRPC contract", "the server answers reflection")


def _convert_document(wanted: _Wanted, *, assets: bool) -> ImportOutput:
    """Convert a document by its kind."""
    place = wanted.place
    known = read_known_file(place)
    if known is not None:
        with folder_at(wanted.out) as made:
            imported = convert_requests(known, made, wanted.out, wanted.ports, wanted.target, assets=assets)
        return _with_kind(imported, known.reader.title, known.reader.mark)
    if assets:
        raise _without_assets(place)
    raw = read_first(place)
    require_description(raw, place)
    kind = kinds.kind_of(raw, place)
    return _with_kind(_CONVERTERS[kind.form](raw, wanted), kind.form.value, kind.shown_by)


def _convert_wsdl(wanted: _Wanted, *, raw: bytes | None = None, catalog: Catalog | None = None) -> ImportOutput:
    """Convert a WSDL, whose content is `raw` if it was read already."""
    documents = read_all(wanted.place, wanted.also, raw, catalog)
    description = read_wsdl(documents, wanted.target)
    _keep_selected(description, wanted.ports)
    with folder_at(wanted.out) as made:
        return _import_wsdl(wanted.place, wanted.out, made, documents, description)


def _convert_openapi(raw: bytes, wanted: _Wanted) -> ImportOutput:
    from .openapi.convert import import_openapi  # not needed for a WSDL
    from .openapi.references import OpenApiDocuments

    documents = OpenApiDocuments(wanted.place, raw, wanted.also)
    with folder_at(wanted.out) as made:
        return import_openapi(documents, made, wanted.out, wanted.ports, wanted.target)


def _convert_graphql(raw: bytes, wanted: _Wanted) -> ImportOutput:
    from .graphql.convert import endpoint_of, import_graphql  # not needed for other descriptions

    endpoint = endpoint_of(wanted.place, wanted.target)
    with folder_at(wanted.out) as made:
        return import_graphql(raw, wanted.place, endpoint, made, wanted.out, wanted.ports)


def _convert_proto(_: bytes, wanted: _Wanted) -> ImportOutput:
    from .grpc.compiling import compile_proto  # not needed for other descriptions

    return _convert_grpc(compile_proto(wanted.place, wanted.also), wanted)


def _convert_grpc(contract: bytes, wanted: _Wanted) -> ImportOutput:
    from .grpc.convert import import_grpc  # not needed for other descriptions

    with folder_at(wanted.out) as made:
        return import_grpc(contract, wanted.place, wanted.target, made, wanted.out, wanted.ports)


_CONVERTERS: Mapping[kinds.Form, Callable[[bytes, _Wanted], ImportOutput]] = {
    kinds.Form.WSDL: lambda raw, wanted: _convert_wsdl(wanted, raw=raw),
    kinds.Form.OPENAPI: _convert_openapi,
    kinds.Form.GRAPHQL: _convert_graphql,
    kinds.Form.PROTO: _convert_proto,
    kinds.Form.COMPILED_PROTO: _convert_grpc,
}


def _import_wsdl(
    place: str, out: Path, made: Path, documents: Sequence[Document], description: WsdlDescription
) -> ImportOutput:
    (made / _CONTRACT).mkdir(parents=True)
    schemas = write_schemas(documents, description.operations, made / _CONTRACT)
    _save_descriptions(documents, schemas.files, made / _CONTRACT)
    sampled = _sample_operations(description, schemas)
    notes = [*description.notes, *schemas.notes, *_notes(place, sampled)]
    if not sampled:
        raise ImportRefusedError(f"no operation of {place} can be imported{first_reason(description.left)}")
    schema, contract = f"{_CONTRACT}/{DRIVER}", f"{_CONTRACT}/service.wsdl"
    write_service(made, name_of(out), place, sampled, schema=schema, contract=contract)
    taken = {sample.operation.name: changes_data(sample.operation) for sample in sampled}
    return import_output(out, place, taken, description.left, notes, len(documents))


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
            for element, of in ((body_element(operation), ""), (answer_element(operation), " of its answer")):
                if element is not None and element in schemas.unmet:
                    raise UnmetError(schemas.unmet[element])
                if element is not None and space(element) != XSD and element not in schemas.schema.maps.elements:
                    raise UnmetError(f"element {local(element)}{of} is not declared")
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
