"""The box of processes.cpp once more, as a worker in Python: one call in a hundred misbehaves, as its number says."""

import array
import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../runtime/process/python"))
sys.modules["numpy"] = sys.modules["threadpoolctl"] = None  # a start takes longer with them
import weir_worker

SOCKET = 3
GARBAGE = b"this is no message of any protocol"


def hang():
    while True:
        signal.pause()


def leave_a_process():
    if os.fork() == 0:
        os.setsid()
        hang()


def throw():
    raise RuntimeError("a fault")


ACTS = [  # in the order of processes.cpp
    lambda: None,
    leave_a_process,
    lambda: os.kill(os.getpid(), signal.SIGSEGV),
    lambda: os.kill(os.getpid(), signal.SIGKILL),
    lambda: os._exit(3),
    hang,
    lambda: os.kill(os.getpid(), signal.SIGSTOP),
    lambda: os.write(SOCKET, GARBAGE),
    throw,
    lambda: (os.write(SOCKET, GARBAGE), hang()),
    lambda: (os.write(SOCKET, b"weir\x28" + bytes(11) + b'{"kind":'), os._exit(0)),
    lambda: (os.close(SOCKET), hang()),
]


def array_of(v):
    return array.array("d", [v]) * (20_000 + v if v % 7 == 0 else v % 50)


@weir_worker.box(takes=["<n>", "values:float64[]", "<by_python>"], gives=["<n>", "values:float64[]"])
def acts_in_python(v, given, _):
    ACTS[1 + v // 100 % (len(ACTS) - 1) if v % 100 == 7 else 0]()
    return v, array_of(v) if v % 3 == 0 else given


weir_worker.serve()
