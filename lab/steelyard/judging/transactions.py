"""Decides which of JMeter's transactions repeat requests that have rows of their own."""

from __future__ import annotations

from bisect import insort

from .counts import Answered, bounded_name

_EXAMPLES = 8  # of each transaction, the earliest rows and as many of the latest

Example = tuple[int, int, str]  # start and end in ms, thread


class Transactions:
    """Examples by name of transaction, each with whether a request of the same thread began within it.

    A transaction controller without a parent sample writes its row beside those of its requests; one with a parent
    sample writes only its own. A first pass over the file collects examples of each transaction (`add_example`), a second
    compares each row with them (`check_row`), so the order of rows does not matter. In a file without thread names all rows
    are of one thread.
    """

    def __init__(self) -> None:
        self._earliest: dict[str, list[Example]] = {}
        self._latest: dict[str, list[Example]] = {}
        self._by_thread: dict[str, list[tuple[int, int, str]]] = {}
        self._repeating: set[str] = set()

    def __bool__(self) -> bool:
        return bool(self._earliest)

    def add_example(self, transaction: Answered) -> None:
        """Take a transaction's row as an example. Does nothing once the collection is complete."""
        if self._by_thread:
            return
        begin, end = _span(transaction)
        name = bounded_name(transaction.operation, self._earliest)
        earliest, latest = self._earliest.setdefault(name, []), self._latest.setdefault(name, [])
        insort(earliest, (begin, end, transaction.thread))
        insort(latest, (begin, end, transaction.thread))
        del earliest[_EXAMPLES:], latest[:-_EXAMPLES]

    def complete(self) -> None:
        """End the collection of examples. Rows are compared with them from now on."""
        for examples in (self._earliest, self._latest):
            for name, spans in examples.items():
                for begin, end, thread in spans:
                    self._by_thread.setdefault(thread, []).append((begin, end, name))

    def check_row(self, row: Answered, *, transaction: bool) -> None:
        """Compare a row with the examples of its thread. A transaction lies within another only where it is shorter."""
        for begin, end, name in self._by_thread.get(row.thread, ()):
            if name not in self._repeating:
                row_begin, row_end = _span(row)
                shorter = not transaction or row_end - row_begin < end - begin
                if shorter and begin <= row_begin < max(end, begin + 1):
                    self._repeating.add(name)

    def repeats(self, name: str) -> bool:
        """Whether the transactions of that name repeat requests with rows of their own."""
        return name in self._repeating

    def name_of(self, transaction: Answered) -> str:
        """The key of a transaction's examples."""
        return bounded_name(transaction.operation, self._earliest)


def _span(row: Answered) -> tuple[int, int]:
    return round(row.begun_s * 1000), round(row.ended_s * 1000)
