"""Shapes of processes: servers whose processes detach, ignore signals, stop, hide their name or fill the log.

However such a load ends, nothing of it may be left running.
"""

from __future__ import annotations

import os
import random
import signal
import time
from itertools import product

from ..ground import TARGET, Ground, NotHereError
from ..oracle import Verdict

SHARE = 100
# What a start line does before it becomes the server. $LONG is a process that lasts, with the attack's folder as an argument.
SHAPES = {
    "a child": "$LONG &",
    "a child in a session of its own": "setsid $LONG &",
    "a grandchild whose parent is gone": "(setsid $LONG &)",
    "a child without environment": "env -i $(command -v python3) ${LONG#python3 } &",
    "a child without environment, in a session of its own": "(env -i setsid $(command -v python3) ${LONG#python3 } &)",
    "a child that ignores signals": "(trap '' TERM INT HUP; exec $LONG) &",
    "a server that ignores signals": "trap '' TERM INT HUP",
    "a stopped child": "$LONG & kill -STOP $!",
    "a stopped child in a session of its own": "setsid $LONG & sleep 0.2; kill -STOP $!",
    "a zombie": "python3 -I -c 'import os, time; os.fork() or os._exit(0); time.sleep(1000)' $FOLDER &",
    "children that keep dying": "(while sleep 0.05; do :; done) &",
    "50 children": "for n in $(seq 50); do sleep 1000 & done",
    "a chain of 30 children": "chain() { [ $1 -eq 0 ] && exec $LONG; (chain $(($1 - 1))); }; chain 30 &",
    "1000 threads": "python3 -I -c 'import threading, time\n"
    "for _ in range(1000): threading.Thread(target=time.sleep, args=(1000,)).start()' $FOLDER &",
    "a name that is not UTF-8": "(exec -a $'\\xff\\xfe(x) y' $LONG) &",
    "a name with a parenthesis and a newline": "(exec -a $') Z 1\\n(' $LONG) &",
    "a kernel name that is not UTF-8": "python3 -I -c 'import ctypes, time; "
    "ctypes.CDLL(None).prctl(15, bytes([255, 41, 32, 90, 10])); time.sleep(1000)' $FOLDER &",
    "a log of 30 MB": "head -c 30000000 /dev/zero | tr '\\0' x",
    "a log that is not UTF-8": "head -c 100000 /dev/urandom",
    "a start line that ends": "python3 -I -B $TARGET $PORT & exit 0",
    "a start line that fails": "$LONG & exit 3",
    "a start line that is killed": "$LONG & kill -9 $$",
    "a late start": "sleep 2",
    "its keeper killed": "$LONG & (sleep 1; kill -9 $PPID) &",
    "its keeper stopped": "(sleep 1; kill -STOP $PPID; sleep 4; kill -CONT $PPID) &",
    "another user's child": "setpriv --reuid 65534 --clear-groups $LONG &",
    "a child in a namespace of processes": "unshare --fork --pid $LONG &",
    "closed streams": "exec 0<&- 1>&- 2>&-",
}
OF_ROOT = ("another user's child", "a child in a namespace of processes")
ENDINGS = {"": None, ", and the lab is killed": signal.SIGKILL, ", and the lab is interrupted": signal.SIGINT}
VARIANTS = tuple(f"{shape}{ending}" for shape, ending in product(SHAPES, ENDINGS))


def attack(variant: str, draw: random.Random, ground: Ground) -> Verdict:
    """Load a server of this shape."""
    ending = next(text for text in sorted(ENDINGS, key=len, reverse=True) if variant.endswith(text))
    shape = variant.removesuffix(ending)
    if shape in OF_ROOT and os.geteuid() != 0:
        raise NotHereError("only root can start such a process")
    script = f"FOLDER={ground.folder}; PORT=$0; TARGET={TARGET}\n"
    script += f"LONG=\"python3 -I -c __import__('time').sleep(1000) $FOLDER\"\n{SHAPES[shape]}\n"
    script += "exec python3 -I -B $TARGET $PORT"
    ground.write_shop(["bash", "-c", script, "{port}"])
    ground.protect()
    lab = ground.start(*ground.load_words("./shop"))
    number = ENDINGS[ending]
    signals = []
    if number is not None and lab.await_step("verifying"):
        time.sleep(draw.uniform(0, 2))
        signals = [int(number)] if lab.send(number) else []
    ended = lab.end()
    return ground.load_verdict(ended, ground.wrong(ended, signals, killed=number == signal.SIGKILL))
