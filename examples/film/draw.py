"""draw.py FRAMES FILM: draws a film of three scenes, as y4m: a ramp that moves, noise, and a disc on stripes."""

import random
import sys

WIDTH, HEIGHT = 128, 96

frames, path = int(sys.argv[1]), sys.argv[2]
noise = random.Random(1)


def ramp(t):
    return bytes((x + y + 4 * t) % 128 + 100 for y in range(HEIGHT) for x in range(WIDTH))


def grain(t):
    return bytes(noise.randrange(20, 90) for _ in range(WIDTH * HEIGHT))


def disc(t):
    return bytes(
        240 if (x - 20 - 3 * t) ** 2 + (y - 48) ** 2 < 400 else 150 + 30 * (x // 8 % 2)
        for y in range(HEIGHT) for x in range(WIDTH)
    )


with open(path, "wb") as film:
    film.write(b"YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C420jpeg\n" % (WIDTH, HEIGHT))
    for t in range(frames):
        scene = (ramp, grain, disc)[min(3 * t // frames, 2)]
        film.write(b"FRAME\n" + scene(t) + b"\x80" * (WIDTH * HEIGHT // 2))
