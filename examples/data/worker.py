"""The boxes of examples/worker.cpp."""

import weir_worker


@weir_worker.box(takes=["sentence:string"], gives=["lengths:float64[]"])
def measure(sentence):
    if not sentence:
        raise ValueError("an empty sentence")
    return [float(len(word)) for word in sentence.split()]


@weir_worker.box(takes=["sentence:string"], gives=["word:string", "<n>"])
def split_up(sentence):
    for number, word in enumerate(sentence.split()):
        yield word, number


weir_worker.serve()
