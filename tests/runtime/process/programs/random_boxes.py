"""A worker in Python of the boxes that random networks have: realised_boxes.cpp, once more.

WEIR_TEST_BOXES has a line for each box: its kind, salt and width, its name and its labels.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../../runtime/process/python"))
sys.modules["numpy"] = sys.modules["threadpoolctl"] = None  # a start takes longer with them
import weir_worker

KINDS = ["constant", "computing", "mixing", "copying", "deciding", "texting", "moving", "dropping", "picky", "half_way",
         "straying", "marking", "unmarking", "stepping", "sinking"]  # in the order of plan.hpp


def wrapped(x):
    """As 64 bits are."""
    return (x + 2**63) % 2**64 - 2**63


def divided(x, by):
    """Towards zero."""
    return abs(x) // by * (1 if x >= 0 else -1)


def mixed(v, salt):
    x = wrapped(v * 31 + salt)
    return x - 97 * divided(x, 97) - 20


def phase(v, salt, of):
    return (v + salt * 7) % 2**64 % of


def shortened(text, v):
    return f"{text[:45]}/{v}"


def typed(label):
    return label if label[0] == "<" else label + (":string" if label[0] == "s" else ":int32")


def add(kind, salt, name, l):
    def box(takes, *gives):
        gives = [[typed(label) for label in variant] for variant in gives] or None
        return weir_worker.box([typed(label) for label in takes], gives, name)

    if kind == "constant":
        box([], [l[0]])(lambda: salt)
    elif kind == "computing":
        box([l[0]], [l[1]])(lambda v: mixed(v, salt))
    elif kind == "mixing":
        box(l[:2], l[2:])(lambda v, w: (mixed(v, w), mixed(w, salt)))
    elif kind == "copying":
        box([l[0]], [l[1]])(lambda v: (wrapped(v + i) for i in range(phase(v, salt, 4))))
    elif kind == "deciding":
        @box([l[0]], [l[0], l[1]], [l[0], l[2]])
        def deciding(v):
            if phase(v, salt, 3) != 1:
                yield {l[0]: v, l[1]: mixed(v, salt)}
            if phase(v, salt, 3) != 0:
                yield {l[2]: mixed(v, 7), l[0]: divided(v, 2)}
    elif kind == "texting":
        box([l[0]], l[1:])(lambda v: (shortened(v, salt), len(v)))
    elif kind == "moving":
        box([l[0]], [l[0]])(lambda v: shortened(v, salt))
    elif kind == "dropping":
        box([l[0]], [l[0]])(lambda v: mixed(v, salt) if phase(v, salt, 3) else None)
    elif kind == "picky":
        @box([l[0]], [l[0]])
        def picky(v):
            if phase(v, salt, 5) == 0:
                raise RuntimeError("picky")
            return mixed(v, salt)
    elif kind == "half_way":
        @box([l[0]], [l[0]])
        def half_way(v):
            yield mixed(v, salt)
            if phase(v, salt, 5) == 0:
                raise RuntimeError("half way")
    elif kind == "straying":
        @box([l[0]], [l[0]])
        def straying(v):
            if phase(v, salt, 2):
                yield mixed(v, salt)
            if phase(v, salt, 5) == 0:
                yield {l[0]: v, "<astray>": v}
    elif kind == "marking":
        box([l[0]], l, [l[0]])(lambda v: {l[0]: v, l[1]: salt} if phase(v, salt, 2) else {l[0]: wrapped(v + 1)})
    elif kind == "unmarking":
        box(l[:2], [l[0], l[2]])(lambda v, mark: (v, mark))
    elif kind == "stepping":
        @box(l[:2], [l[0]], [l[2]])
        def stepping(v, w):
            yield {l[0]: mixed(v, w)}
            yield {l[2]: mixed(w, v)}
    elif kind == "sinking":
        box([l[0]])(lambda v: None)


for line in os.environ["WEIR_TEST_BOXES"].splitlines():
    kind, salt, _, name, *labels = line.split(" ")
    add(KINDS[int(kind)], int(salt), name, labels)
weir_worker.serve()
