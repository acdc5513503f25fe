"""A worker without weir_worker.py: the protocol by hand. It answers as its argument says.

Its box `add` takes <n> and text, and gives <n>, one more, and the text. `--no-files` gets all blocks in the body.
"""

import fcntl
import json
import os
import socket
import struct
import sys
import termios
import time

how = sys.argv[1]
connection = socket.socket(fileno=int(os.environ["WEIR_SOCKET"]))
prefix = struct.Struct("<4sIQ")
labels = [{"name": "n", "type": "tag"}, {"name": "text", "type": "string"}]


def receive():
    def exactly(size):
        data = b""
        while len(data) < size:
            came = connection.recv(size - len(data))
            if not came:
                sys.exit(0)
            data += came
        return data

    magic, head, body = prefix.unpack(exactly(prefix.size))
    assert magic == b"weir"
    return json.loads(exactly(head)), exactly(body)


def message(head, block=None):
    body = b"" if block is None else block + bytes(-len(block) % 8)
    if block is not None:
        head = dict(head, blocks=[len(block)])
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    return prefix.pack(b"weir", len(text), len(body)) + text + body


receive()
connection.sendall(message({"kind": "greeting", "version": 1, "box": "add", "takes": labels, "gives": [labels],
                            "accepts_files": "--no-files" not in sys.argv}))
while True:
    if how == "reads drop by drop":  # would take minutes
        while connection.recv(100):
            time.sleep(0.001)
    call, body = receive()
    if call["kind"] == "stop":
        break
    number = call["call"]
    block = body[:call["blocks"][0]]
    values = {"variant": 0, "values": [call["values"][0] + 1, [0]]}
    done = {"kind": "done", "call": number, "seconds": 0}
    if how == "once":
        connection.sendall(message(dict(done, **values), block))
    elif how == "twice":
        connection.sendall(2 * message(dict(done, **values), block))
    elif how == "a result late":
        connection.sendall(message(done) + message(dict(values, kind="result", call=number), block))
    elif how == "an error late":
        connection.sendall(message(dict(done, **values), block))
        connection.sendall(message({"kind": "error", "call": number, "text": "late", "seconds": 0}))
    elif how == "the next":
        connection.sendall(message(dict(done, call=number + 1, **values), block))
    elif how == "no number":
        del done["call"]
        connection.sendall(message(dict(done, **values), block))
    elif how == "a text":
        connection.sendall(message(dict(done, call=str(number), **values), block))
    elif how == "drop by drop":  # the same
        connection.sendall(message(dict(values, kind="result", call=number), block))
        connection.sendall(prefix.pack(b"weir", 1 << 20, 0))
        while True:
            connection.sendall(b" ")
            time.sleep(0.001)
    elif how == "ends once its text is read":
        os.write(2, b"said\n")
        while struct.unpack("i", fcntl.ioctl(2, termios.FIONREAD, bytes(4)))[0] > 0:
            time.sleep(0.001)
        connection.sendall(message(dict(done, **values), block))
        with open(sys.argv[2], "w") as told:
            told.write(f"{os.getpid()}\n")
        sys.exit(0)
    elif how == "without end":
        result = message(dict(values, kind="result", call=number), block)
        while True:
            connection.sendall(result)
