"""cut.py FILM: prints a line for each scene, FIRST-END: a new one begins where the brightness jumps."""

import sys

import film_frames

_, frames, luma = film_frames.read(sys.argv[1])
brightness = [sum(frame[:luma]) / luma for frame in frames]
begins = [0] + [t for t in range(1, len(frames)) if abs(brightness[t] - brightness[t - 1]) > 15]
for begin, end in zip(begins, begins[1:] + [len(frames)]):
    print(f"{begin:05}-{end:05}")
