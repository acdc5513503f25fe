"""scene.py FILM FIRST-END CLIP: copies these frames."""

import sys

import film_frames

head, frames, _ = film_frames.read(sys.argv[1])
first, end = map(int, sys.argv[2].split("-"))
with open(sys.argv[3], "wb") as clip:
    clip.write(head)
    for frame in frames[first:end]:
        clip.write(b"FRAME\n" + frame)
