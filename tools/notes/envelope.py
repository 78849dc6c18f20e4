"""What is said of kept runs that ask what an envelope costs: each way's ratio to plain SOAP by operation and size, its bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from steelyard.base.text import bytes_text, ratio_text, value_text

from .kept_run import Kept, command, listed, steadiness, tally, true


def envelope(kept: Kept) -> str:
    """What is said of message formats on one server."""
    return _page(kept, _shown(kept))


def secured(kept: Kept) -> str:
    """What is said of WS-Security and of TLS on one server."""
    return _page(kept, _shown_of_security(kept))


def _page(kept: Kept, shown: Iterable[str]) -> str:
    reference = kept.run.schedule.reference
    return "\n\n".join(
        [
            command(kept),
            f"Throughput over {reference}, with its interval. Bold is what was decided, adjusted for all cells that are judged "
            "together; the intervals are each cell's own, and not adjusted.",
            _table(kept, _ratio_of),
            "Bytes of a request and of an answer on the wire, heads and all; processor time a request of the server and of the "
            "engine, in µs.",
            _table(kept, _cost_of, [reference]),
            tally(kept),
            steadiness(kept),
            "What it shows.",
            listed(list(shown)),
        ]
    )


def _table(kept: Kept, of: Callable[[Kept, str, str], str], before: Sequence[str] = ()) -> str:
    """A row a cell, a column a subject."""
    subjects = [*before, *_others(kept)]
    rows = [f"| | {' | '.join(subjects)} |", f"|---|{'--:|' * len(subjects)}"]
    for cell in _cells(kept):
        rows.append(f"| {cell.removesuffix(_users(kept))} | {' | '.join(of(kept, each, cell) for each in subjects)} |")
    return "\n".join(rows)


def _ratio_of(kept: Kept, subject: str, cell: str) -> str:
    one = kept.between(subject, kept.run.schedule.reference, cell)
    if one.ratio is None or one.interval is None:
        return str(one.verdict)
    low, high = (ratio_text(bound, one.interval) for bound in one.interval)
    shown = ratio_text(one.ratio, one.interval)
    return f"{f'**{shown}**' if one.is_decided else shown} ({low} to {high})"


def _cost_of(kept: Kept, subject: str, cell: str) -> str:
    sent, received = (bytes_text(kept.value(subject, cell, name)) for name in ("bytes_sent", "bytes_received"))
    server, engine = (kept.value(subject, cell, name) for name in ("cpu_per_request", "engine_cpu_per_request"))
    return f"{sent}, {received}; {value_text(server)}, {value_text(engine)}"


def _others(kept: Kept) -> list[str]:
    return [each for each in kept.run.schedule.subjects if each != kept.run.schedule.reference]


def _cells(kept: Kept) -> list[str]:
    return list(dict.fromkeys(one.cell for one in kept.primaries))


def _users(kept: Kept) -> str:
    """What all cells' names end with."""
    (users,) = {cell.name.rpartition(" ")[2] for cell in kept.run.schedule.cells}
    return f" {users}"


SMALL = "echoVoid", "echoStruct ListSize=1"
UNUSED = 0.03  # of a processor, beyond what SOAP left unused: the margin of the verdicts
REST, RPC, GRPC = (f"go@format={form}" for form in ("rest-json", "json-rpc", "grpc"))


def _shown(kept: Kept) -> Iterator[str]:
    soap = kept.run.schedule.reference
    cells = {cell.removesuffix(_users(kept)): cell for cell in _cells(kept)}
    ratios = [(kept.ratio(each, soap, cell), each, name) for each in _others(kept) for name, cell in cells.items()]
    (least, slowest, where), (most, fastest, there) = min(ratios), max(ratios)
    yield true(
        least > 1 and all(one.is_decided for one in kept.primaries),
        f"Every format answered more than SOAP, with every operation and size: from {ratio_text(least)} times as much ({slowest}, "
        f"{where}) to {ratio_text(most)} times ({fastest}, {there}).",
    )
    small = "; ".join(
        f"{name}: {ratio_text(kept.ratio(GRPC, soap, cells[name]))} and {ratio_text(kept.ratio(REST, soap, cells[name]))}"
        for name in SMALL
    )
    yield true(
        all(kept.ratio(GRPC, REST, cells[name]) > 1 < kept.ratio(REST, soap, cells[name]) for name in SMALL),
        "The external direction holds here: on small messages gRPC is faster than REST with JSON, and that faster than SOAP "
        f"({small} times as much as SOAP).",
    )
    few, many = (cells[f"echoStruct ListSize={count}"] for count in (1, 100))
    grown = [
        f"{each} from {ratio_text(kept.ratio(each, soap, few))} to {ratio_text(kept.ratio(each, soap, many))}"
        for each in (GRPC, REST, RPC)
    ]
    yield true(
        all(kept.ratio(each, soap, many) > kept.ratio(each, soap, few) for each in (GRPC, REST, RPC)),
        f"The price is not the envelope alone but all that is XML within it: from 1 struct to 100 it grows, {', '.join(grown)}.",
    )
    bytes_cell = cells["echoSynthetic NumBytes=65536"]
    yield true(
        kept.ratio(GRPC, soap, bytes_cell) > 2 * max(kept.ratio(each, soap, bytes_cell) for each in (REST, RPC)),
        "Bytes are where formats differ most: 65,536 of them are base64 in SOAP and in JSON, and as they are in gRPC, which "
        f"answers {ratio_text(kept.ratio(GRPC, soap, bytes_cell))} times as much as SOAP; REST "
        f"{ratio_text(kept.ratio(REST, soap, bytes_cell))}, JSON-RPC {ratio_text(kept.ratio(RPC, soap, bytes_cell))}.",
    )
    yield true(
        all(kept.ratio(REST, RPC, cell) > 1 for cell in cells.values()),
        "An envelope of JSON has its price, too: with the same values JSON-RPC answers less than REST everywhere, from "
        f"{ratio_text(min(kept.ratio(RPC, REST, cell) for cell in cells.values()))} to "
        f"{ratio_text(max(kept.ratio(RPC, REST, cell) for cell in cells.values()))} times as much.",
    )
    yield _unused(kept, soap, cells)


def _unused(kept: Kept, soap: str, cells: Mapping[str, str]) -> str:
    """Where gRPC's throughput lies below what its processor time a request allows, since it left a part of its processor unused."""

    def left(subject: str, cell: str) -> float:
        return 1 - kept.value(subject, cell, "throughput") * kept.value(subject, cell, "cpu_per_request") / 1e6

    short = {name: cell for name, cell in cells.items() if left(GRPC, cell) - left(soap, cell) > UNUSED}
    below = sorted(1 - (1 - left(GRPC, cell)) / (1 - left(soap, cell)) for cell in short.values())
    grpc, plain = (sorted(left(subject, cell) for cell in short.values()) for subject in (GRPC, soap))
    return true(
        bool(short)
        and all(left(each, cell) - left(soap, cell) <= UNUSED for each in (REST, RPC) for cell in cells.values()),
        f"gRPC left {grpc[0]:.1%} to {grpc[-1]:.1%} of its processor unused in {len(short)} of {len(cells)} cells, where SOAP left "
        f"{plain[0]:.1%} to {plain[-1]:.1%}: there its ratio of throughput lies {below[0]:.1%} to {below[-1]:.1%} below that of "
        f"processor time a request ({', '.join(short)}). Why it waited, the run does not say.",
    )


TLS, SIGNED, ENCRYPTED, BOTH = (
    f"tomcat-cxf@{factor}" for factor in ("tls=on", "format=signed", "format=encrypted", "format=signed-encrypted")
)


def _shown_of_security(kept: Kept) -> Iterator[str]:
    plain, messages = kept.run.schedule.reference, (SIGNED, ENCRYPTED, BOTH)
    cells = _cells(kept)
    few, *_, many = cells

    def left(each: str, cell: str) -> float:
        return kept.ratio(each, plain, cell)

    def between(each: str) -> str:
        return f"{ratio_text(left(each, few))} and {ratio_text(left(each, many))}"

    def sent(each: str, cell: str) -> float:
        return kept.value(each, cell, "bytes_sent")

    yield true(
        all(left(TLS, cell) > 2 * left(each, cell) for each in messages for cell in cells),
        "Where the connection alone must be safe, TLS is the cheaper way by far: it leaves "
        f"{ratio_text(left(TLS, few))} of the throughput with one struct, and {ratio_text(left(TLS, many))} with a "
        f"hundred{'' if kept.between(TLS, plain, many).is_decided else ', where no difference was detected'}.",
    )
    yield true(
        all(left(each, cell) < 0.5 for each in messages for cell in cells),
        "What protects the message itself costs most of it: with one struct and with a hundred a signature leaves "
        f"{between(SIGNED)}, encryption {between(ENCRYPTED)}, both {between(BOTH)}.",
    )
    yield true(
        all(
            sent(each, few) / sent(plain, few) > sent(each, cell) / sent(plain, cell)
            for each in (SIGNED, BOTH)
            for cell in cells[1:]
        ),
        "A small message grows the most: a request of one struct has "
        f"{bytes_text(sent(plain, few))}, signed {bytes_text(sent(SIGNED, few))}, signed and "
        f"encrypted {bytes_text(sent(BOTH, few))}.",
    )


MADE: Mapping[str, Callable[[Kept], str]] = {"envelope": envelope, "envelope-secured": secured}
