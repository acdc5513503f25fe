import weir_worker


@weir_worker.box(takes=["line:string"], gives=["lengths:float64[]", "<words>"])
def measure(line):
    if not line:
        raise ValueError("an empty line")
    lengths = [float(len(word)) for word in line.split()]
    return lengths, len(lengths)


weir_worker.serve()
