"""The frames of a film in y4m, 420."""


def read(path):
    """The head of the file, and its frames with their luma."""
    with open(path, "rb") as film:
        head = film.readline()
        sizes = {word[:1]: word[1:] for word in head.split()[1:]}
        luma = int(sizes[b"W"]) * int(sizes[b"H"])
        frames = []
        while film.readline():
            frames.append(film.read(luma * 3 // 2))
    return head, frames, luma
