"""A worker in Python that works on numpy arrays."""

import ctypes
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../../runtime/process/python"))
import weir_worker

import numpy
import threadpoolctl

ctypes.CDLL("libgomp.so.1")  # a library with threads of its own
threadpoolctl.threadpool_limits(limits=7)


def mapping_of(array):
    """The name of the memory in which the values of an array lie, as the system has it."""
    with open("/proc/self/maps") as maps:
        for line in maps:
            begin, end = (int(part, 16) for part in line.split()[0].split("-"))
            if begin <= array.ctypes.data < end:
                return (line.split(maxsplit=5) + [""])[5].strip()
    return "none"


@weir_worker.box(takes=["vector:float64[]", "matrix:float32[,]", "raw:bytes"], gives=["said:string"])
def look(vector, matrix, raw):
    own = "copied" if vector.flags.owndata or matrix.flags.owndata else "in place"
    kinds = f"{type(vector).__module__}.{type(vector).__name__} {vector.dtype} {vector.shape} {matrix.dtype} {matrix.shape}"
    shared = "memfd" in mapping_of(vector) and "memfd" in mapping_of(matrix)
    return f"{own}{' in shared memory' if shared else ''}: {kinds}, sums {vector.sum():g} {matrix.sum(axis=1).max():g}, {type(raw).__name__}"


@weir_worker.box(takes=["vector:float64[]", "matrix:float32[,]"], gives=["vector:float64[]", "matrix:float32[,]"])
def transpose(vector, matrix):
    return vector[::-1], matrix.T  # neither is contiguous


@weir_worker.box(takes=["matrix:float32[,]"], gives=["matrix:float32[,]"])
def double(matrix):
    made = weir_worker.empty(matrix.shape, "float32")
    numpy.multiply(matrix, 2, out=made)
    return made


WRONG = [lambda: numpy.zeros(3, ">f8"), lambda: numpy.zeros(3, "f2"), lambda: numpy.zeros(3, "c16"), lambda: numpy.zeros(3, "i8"),
         lambda: numpy.zeros((3, 1)), lambda: numpy.zeros(3, "O"), lambda: numpy.zeros(3, [("a", "f8")]), lambda: numpy.float64(1)]


@weir_worker.box(takes=["<n>"], gives=["vector:float64[]"])
def err(n):
    return WRONG[n]()


@weir_worker.box(takes=["<n>"], gives=["<n>", "<cores>"])
def pools(_):
    limits = {pool["num_threads"] for pool in threadpoolctl.threadpool_info()}
    return limits.pop() if len(limits) == 1 else -len(limits), weir_worker.cores()


weir_worker.serve()
