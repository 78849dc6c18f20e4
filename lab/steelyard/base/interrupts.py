"""Graceful Ctrl-C: the first stops with the results so far, the second ends the measurement at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopWish:
    """Whether the user requested a stop (`asked`), by Ctrl-C or a terminating signal."""

    def __init__(self) -> None:
        self.requested = False


@contextmanager
def interrupts_ask(give_up: Callable[[], None], patience: float) -> Iterator[StopWish]:
    """Within this context an interrupt requests a stop instead of raising KeyboardInterrupt.

    `give_up` runs in a thread `patience` seconds after the first interrupt, or at the second. It must end what the body
    waits for. The third interrupt raises KeyboardInterrupt.
    """
    wish = StopWish()
    if threading.current_thread() is not threading.main_thread():  # Python runs signal handlers only there
        yield wish
        return
    timer = threading.Timer(patience, give_up)
    timer.daemon = True
    came = 0

    def ask(_number: int, _frame: FrameType | None) -> None:
        nonlocal came
        came += 1
        wish.requested = True
        if came == 1:
            timer.start()
        elif came == 2:
            threading.Thread(target=give_up, daemon=True).start()
        else:
            raise KeyboardInterrupt

    before = {number: signal.signal(number, ask) for number in _SIGNALS}
    try:
        yield wish
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        timer.cancel()
