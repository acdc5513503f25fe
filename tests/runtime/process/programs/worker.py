"""A worker in Python of the boxes that the tests have."""

import concurrent.futures
import ctypes
import itertools
import multiprocessing
import os
import signal
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../../runtime/process/python"))
sys.modules["numpy"] = sys.modules["threadpoolctl"] = None  # as where they are not installed; numpy_worker.py has them
import weir_worker

ALL = ["<n>", "integer:int64", "small:uint8", "flag:bool", "number:float64", "single:float32", "text:string", "file:path",
       "raw:bytes", "numbers:float64[]", "table:float32[,]"]


@weir_worker.box(takes=ALL, gives=ALL)
def echo(*values):
    return values


@weir_worker.box(takes=["<n>"], gives=[["<n>"], ["text:string", "<n>"]])
def count(many):
    for i in range(many):
        yield {"n": i} if i % 2 == 0 else {"text": str(i), "n": i}
    if many == 13:
        raise RuntimeError("thirteen")


@weir_worker.box(takes=["<n>"], gives=["<n>"])
def misbehave(how):
    if how == 0:
        os.kill(os.getpid(), signal.SIGSEGV)
    if how == 1:
        while True:
            time.sleep(1000)
    if how == 2:
        os._exit(7)
    if how == 3:
        raise RuntimeError("three")
    if how == -5:
        os.close(3)
    if how == -3:
        return 2**63
    if how == -30:
        return 10**5000  # Python writes no more than 4300 digits
    if how == -31:
        try:
            int("x")
        except ValueError as error:
            raise RuntimeError("no number") from error
    if how == -4:
        with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            return pool.submit(abs, -4).result()
    if how == -2:
        raise RuntimeError("before\0behind")
    if how == -1:
        if os.fork() == 0:
            return 0
        os.waitid(os.P_ALL, 0, os.WEXITED)
    return how + 1


@weir_worker.box(takes=["<n>"], gives=["<n>", "integer:int64"], batched=True)
def together(numbers):
    if any(number > 1000 for number in numbers):
        raise RuntimeError("above 1000")
    if 7 in numbers and len(numbers) > 1:
        os._exit(7)
    return [(2 * number, len(numbers)) for number in numbers]


@weir_worker.box(takes=["image:float32[,]"], gives=["image:float32[,]"])
def brighten(image):
    rows, columns = image.shape
    made = weir_worker.empty([rows, columns], "float32")
    for i in range(rows):
        for j in range(columns):
            made[i, j] = 2 * image[i, j]
    return made


@weir_worker.box(takes=["<n>"], gives=["<n>", "n:int64"])
def twins(how):
    return {"<n>": how, "n": how + 1} if how > 0 else {"<n>": how, "m": how}


class Wordless(Exception):
    def __str__(self):
        raise RuntimeError("there are no words")


@weir_worker.box(takes=["<n>"], gives=["<pid>", "text:string", "back:string"])
def answer_oddly(how):
    if how == 5:
        raise Wordless
    return [(os.getpid(), "as", "declared"), "abc", {os.getpid(), "a", "set"}, (os.getpid(), str, "a class"),
            {1: 2, "text": 3, "<pid>": 4}][how]


# Not contiguous, of addresses, and without elements in two dimensions.
BYTES = [lambda: memoryview(b"abcdef")[::2], lambda: memoryview((ctypes.py_object * 1)("an object")),
         lambda: memoryview((ctypes.c_double * 3 * 0)())]


@weir_worker.box(takes=["<n>"], gives=["raw:bytes"])
def give_bytes(how):
    return BYTES[how]()


@weir_worker.box(takes=["<n>"], gives=[["number:float64"], ["flag:bool"]])
def give_texts(how):
    return [{"number": "1.5"}, {"flag": "False"}, {"number": b"nan"}, {"number": 3}, {"flag": 0}][how]


calls = 0


@weir_worker.box(takes=["<n>"], gives=["<n>", "<pid>"])
def remember(_):
    global calls
    calls += 1
    return calls, os.getpid()


@weir_worker.box(takes=["<n>"], gives=None)
def swallow(_):
    pass


numbers_of_lines = itertools.count()


@weir_worker.box(takes=["<n>"], gives=["<n>"])
def talk(lines):
    sys.stderr.write(f"process {os.getpid()}\n")
    left = lines
    while left != 0:
        some = [next(numbers_of_lines) for _ in range(min(1000, left) if left > 0 else 1000)]
        sys.stderr.write("".join(f"line {i:020} {'of a worker that talks':>37}\n" for i in some))
        if left > 0:
            left -= len(some)
    return lines


class OtherThread:
    """A thread that says its processing units when it is asked."""

    def __init__(self):
        self.asked, self.answered = threading.Semaphore(0), threading.Semaphore(0)
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            self.asked.acquire()
            self.answer = affinity()
            self.answered.release()

    def ask(self):
        self.asked.release()
        self.answered.acquire()
        return self.answer


other_thread = None


def affinity():
    return "".join(f"{cpu} " for cpu in sorted(os.sched_getaffinity(0)))


@weir_worker.box(takes=["<n>"], gives=["text:string", "<n>"])
def see_affinity(_):
    global other_thread
    other_thread = other_thread or OtherThread()
    return affinity() + "| " + other_thread.ask(), weir_worker.cores()


@weir_worker.box(takes=["<n>"], gives=["<cores>", "<pid>"])
def see_cores(_):
    return weir_worker.cores(), os.getpid()


@weir_worker.box(takes=["numbers:float64[]"], gives=["number:float"])
def total(numbers):
    return sum(numbers)


if "--mute" in sys.argv:  # never greets
    time.sleep(1000)
if "--broken" in sys.argv:
    sys.exit("no such model")
weir_worker.serve()
