"""The notes of kept runs on the cost of an envelope: the ratios of formats by operation and size, and their bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from steelyard.base.text import bytes_text, ratio_text, value_text

from .kept_run import Kept, command, listed, ratio_in, steadiness, table_by_cell, tally, true


def envelope(kept: Kept) -> str:
    """The notes on message formats on one server."""
    return _page(kept, _shown(kept))


def secured(kept: Kept) -> str:
    """The notes on WS-Security and TLS on one server."""
    return _page(kept, _shown_of_security(kept))


def rmi(kept: Kept) -> str:
    """The notes on SOAP and Java RMI, on the same classes."""
    return _page(kept, _shown_of_rmi(kept))


def _page(kept: Kept, shown: Iterable[str]) -> str:
    reference = kept.run.schedule.reference
    return "\n\n".join(
        [
            command(kept),
            f"Throughput over {reference}, with its interval. Decided comparisons are bold, adjusted for all cells that are judged "
            "together. Each interval is for its cell alone, and not adjusted.",
            table_by_cell(kept, ratio_in, _users(kept)),
            "Bytes of a request and of an answer on the wire, with headers; processor time per request of the server and of the "
            "engine, in µs.",
            table_by_cell(kept, _cost_of, _users(kept), [reference]),
            tally(kept),
            steadiness(kept),
            "What it shows.",
            listed(list(shown)),
        ]
    )


def _cost_of(kept: Kept, subject: str, cell: str) -> str:
    sent, received = (bytes_text(kept.value(subject, cell, name)) for name in ("bytes_sent", "bytes_received"))
    server, engine = (kept.value(subject, cell, name) for name in ("cpu_per_request", "engine_cpu_per_request"))
    return f"{sent}, {received}; {value_text(server)}, {value_text(engine)}"


def _users(kept: Kept) -> str:
    """What all cells' names end with."""
    (users,) = {cell.name.rpartition(" ")[2] for cell in kept.run.schedule.cells}
    return f" {users}"


SMALL = "echoVoid", "echoStruct ListSize=1"
UNUSED = 0.03  # of a processor, beyond what SOAP left unused: the margin of the verdicts
REST, RPC, GRPC = (f"go@format={form}" for form in ("rest-json", "json-rpc", "grpc"))


def _shown(kept: Kept) -> Iterator[str]:
    soap = kept.run.schedule.reference
    cells = {cell.removesuffix(_users(kept)): cell for cell in kept.judged_cells}
    ratios = [(kept.ratio(each, soap, cell), each, name) for each in kept.others for name, cell in cells.items()]
    (least, slowest, where), (most, fastest, there) = min(ratios), max(ratios)
    yield true(
        least > 1 and all(one.is_decided for one in kept.primaries),
        f"Every format had a higher throughput than SOAP, with every operation and size: from {ratio_text(least)} times "
        f"({slowest}, {where}) to {ratio_text(most)} times ({fastest}, {there}).",
    )
    small = "; ".join(
        f"{name}: {ratio_text(kept.ratio(GRPC, soap, cells[name]))} and {ratio_text(kept.ratio(REST, soap, cells[name]))}"
        for name in SMALL
    )
    yield true(
        all(kept.ratio(GRPC, REST, cells[name]) > 1 < kept.ratio(REST, soap, cells[name]) for name in SMALL),
        "The order of public studies holds here: with small messages gRPC is faster than REST with JSON, and REST is "
        f"faster than SOAP (throughput over SOAP: {small}).",
    )
    few, many = (cells[f"echoStruct ListSize={count}"] for count in (1, 100))
    grown = [
        f"{each} from {ratio_text(kept.ratio(each, soap, few))} to {ratio_text(kept.ratio(each, soap, many))}"
        for each in (GRPC, REST, RPC)
    ]
    yield true(
        all(kept.ratio(each, soap, many) > kept.ratio(each, soap, few) for each in (GRPC, REST, RPC)),
        f"The cost is not that of the envelope alone, but of all XML in it: from 1 struct to 100 the ratio grows, "
        f"{', '.join(grown)}.",
    )
    bytes_cell = cells["echoSynthetic NumBytes=65536"]
    yield true(
        kept.ratio(GRPC, soap, bytes_cell) > 2 * max(kept.ratio(each, soap, bytes_cell) for each in (REST, RPC)),
        "Formats differ most for binary data: 65,536 bytes are base64 in SOAP and in JSON, and unencoded in gRPC. The throughput "
        f"of gRPC is {ratio_text(kept.ratio(GRPC, soap, bytes_cell))} times that of SOAP; REST "
        f"{ratio_text(kept.ratio(REST, soap, bytes_cell))}, JSON-RPC {ratio_text(kept.ratio(RPC, soap, bytes_cell))}.",
    )
    yield true(
        all(kept.ratio(REST, RPC, cell) > 1 for cell in cells.values()),
        "An envelope in JSON has a cost, too: with the same values the throughput of JSON-RPC is lower than that of REST "
        f"everywhere, {ratio_text(min(kept.ratio(RPC, REST, cell) for cell in cells.values()))} to "
        f"{ratio_text(max(kept.ratio(RPC, REST, cell) for cell in cells.values()))} times.",
    )
    yield _unused(kept, soap, cells)


def _unused(kept: Kept, soap: str, cells: Mapping[str, str]) -> str:
    """Where gRPC's throughput lies below what its processor time a request allows, since it left a part of its processor unused."""

    def left(subject: str, cell: str) -> float:
        return 1 - _busy(kept, subject, cell, "cpu_per_request")

    short = {name: cell for name, cell in cells.items() if left(GRPC, cell) - left(soap, cell) > UNUSED}
    below = sorted(1 - (1 - left(GRPC, cell)) / (1 - left(soap, cell)) for cell in short.values())
    grpc, plain = (sorted(left(subject, cell) for cell in short.values()) for subject in (GRPC, soap))
    return true(
        bool(short)
        and all(left(each, cell) - left(soap, cell) <= UNUSED for each in (REST, RPC) for cell in cells.values()),
        f"gRPC left {grpc[0]:.1%} to {grpc[-1]:.1%} of its processor unused in {len(short)} of {len(cells)} cells, where SOAP left "
        f"{plain[0]:.1%} to {plain[-1]:.1%}: there its ratio of throughput lies {below[0]:.1%} to {below[-1]:.1%} below that of "
        f"processor time per request ({', '.join(short)}). The run does not show why it waited.",
    )


def _busy(kept: Kept, subject: str, cell: str, measure: str) -> float:
    """The share of the measured time in which a processor worked: `measure` is its time per request in µs."""
    return kept.value(subject, cell, "throughput") * kept.value(subject, cell, measure) / 1e6


TLS, SIGNED, ENCRYPTED, BOTH = (
    f"tomcat-cxf@{factor}" for factor in ("tls=on", "format=signed", "format=encrypted", "format=signed-encrypted")
)


def _shown_of_security(kept: Kept) -> Iterator[str]:
    plain, messages = kept.run.schedule.reference, (SIGNED, ENCRYPTED, BOTH)
    cells = kept.judged_cells
    few, *_, many = cells

    def left(each: str, cell: str) -> float:
        return kept.ratio(each, plain, cell)

    def between(each: str) -> str:
        return f"{ratio_text(left(each, few))} and {ratio_text(left(each, many))}"

    def sent(each: str, cell: str) -> float:
        return kept.value(each, cell, "bytes_sent")

    yield true(
        all(left(TLS, cell) > 2 * left(each, cell) for each in messages for cell in cells),
        "If only the connection must be protected, TLS costs far less: throughput is "
        f"{ratio_text(left(TLS, few))} times that without protection with one struct, and {ratio_text(left(TLS, many))} times with "
        f"a hundred{'' if kept.between(TLS, plain, many).is_decided else ', where no difference was detected'}.",
    )
    yield true(
        all(left(each, cell) < 0.5 for each in messages for cell in cells),
        "Protection of the message itself costs most of the throughput: with one struct and with a hundred, a signature leaves "
        f"{between(SIGNED)} of it, encryption {between(ENCRYPTED)}, both {between(BOTH)}.",
    )
    yield true(
        all(
            sent(each, few) / sent(plain, few) > sent(each, cell) / sent(plain, cell)
            for each in (SIGNED, BOTH)
            for cell in cells[1:]
        ),
        "The size of a small message grows most: a request of one struct has "
        f"{bytes_text(sent(plain, few))}, signed {bytes_text(sent(SIGNED, few))}, signed and "
        f"encrypted {bytes_text(sent(BOTH, few))}.",
    )


def _shown_of_rmi(kept: Kept) -> Iterator[str]:
    java_rmi, (soap,) = kept.run.schedule.reference, kept.others
    cells = {cell.removesuffix(_users(kept)): cell for cell in kept.judged_cells}

    def times(measure: str) -> list[tuple[float, str]]:
        """SOAP's figure over RMI's in each cell, sorted."""
        values = ((kept.value(each, cell, measure) for each in (soap, java_rmi)) for cell in cells.values())
        return sorted((a / b, name) for (a, b), name in zip(values, cells, strict=True))

    decided = sorted(
        (kept.ratio(soap, java_rmi, cell), name)
        for name, cell in cells.items()
        if kept.between(soap, java_rmi, cell).is_decided
    )
    (least, slowest), (most, fastest) = decided[0], decided[-1]
    yield true(
        most < 1 and len(decided) >= len(cells) - 1,
        f"SOAP had a lower throughput than RMI in each of the {len(decided)} cells with a verdict: from {ratio_text(least)} times "
        f"({slowest}) to {ratio_text(most)} times ({fastest}).",
    )
    clients = sorted(_busy(kept, java_rmi, cell, "engine_cpu_per_request") for cell in cells.values())
    possible, where = max(
        (kept.ratio(java_rmi, soap, cell) / _busy(kept, java_rmi, cell, "cpu_per_request"), name)
        for name, cell in cells.items()
    )
    yield true(
        clients[0] > 0.9 and possible > 1 / least,
        f"RMI's client was the limit: it was {clients[0]:.0%} to {clients[-1]:.0%} busy, so RMI's true advantage may be larger. A "
        f"server that is busy all the time would have at most {ratio_text(possible)} times SOAP's throughput ({where}).",
    )
    (few, cheapest), *_, (many, dearest) = times("cpu_per_request")
    yield true(
        few > 1,
        f"The server's processor time per request does not depend on the client: SOAP took {ratio_text(few)} ({cheapest}) to "
        f"{ratio_text(many)} times ({dearest}) RMI's.",
    )
    sent, received = times("bytes_sent"), times("bytes_received")
    yield true(
        sent[0][0] > 1 < received[0][0],
        "How much larger SOAP's messages are depends on the call: a request has "
        f"{ratio_text(sent[0][0])} ({sent[0][1]}) to {ratio_text(sent[-1][0])} times ({sent[-1][1]}) the bytes of RMI's, an answer "
        f"{ratio_text(received[0][0])} ({received[0][1]}) to {ratio_text(received[-1][0])} times ({received[-1][1]}).",
    )


MADE: Mapping[str, Callable[[Kept], str]] = {"envelope": envelope, "envelope-secured": secured, "envelope-rmi": rmi}
