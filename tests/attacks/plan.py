"""The plan of a campaign: its attacks in order. It depends on the seed alone, and a longer plan begins as a shorter one."""

from __future__ import annotations

import importlib
import pkgutil
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from types import ModuleType

from . import kinds

FULL = 1180  # attacks of a whole campaign: the sum of all SHAREs


@dataclass(frozen=True)
class Attack:
    """One attack. Its kind and its number within the kind decide everything, so a new kind changes no other attack."""

    seed: int
    kind: str
    number: int

    @property
    def variant(self) -> str:
        """What is done: the variants of a kind come in a drawn order, all of them before the first comes again."""
        variants: list[str] = list(known_kinds()[self.kind].VARIANTS)
        turn, place = divmod(self.number, len(variants))
        random.Random(f"{self.seed} {self.kind} {turn}").shuffle(variants)
        return variants[place]

    @property
    def draw(self) -> random.Random:
        """The random numbers of the attack: its moment, its file and so on."""
        return random.Random(f"{self.seed} {self.kind} {self.number}")


@cache
def known_kinds() -> dict[str, ModuleType]:
    """The kinds of attacks by name: each file of `kinds`."""
    names = sorted(module.name for module in pkgutil.iter_modules(kinds.__path__))
    return {name: importlib.import_module(f"{kinds.__name__}.{name}") for name in names}


def plan(seed: int, count: int, chosen: tuple[str, ...] = ()) -> Iterator[Attack]:
    """The first `count` attacks of a seed, of all kinds or the chosen ones; at any length each kind has its share."""
    shares = {name: kind.SHARE for name, kind in known_kinds().items() if not chosen or name in chosen}
    whole, had = sum(shares.values()), dict.fromkeys(shares, 0)
    for number in range(1, count + 1):
        name = max(shares, key=lambda name: shares[name] * number / whole - had[name])
        yield Attack(seed, name, had[name])
        had[name] += 1
