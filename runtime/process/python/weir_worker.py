"""Boxes in Python for a program that uses weir: the script that weir::worker(..) starts.

    import weir_worker

    @weir_worker.box(takes=["image:uint8[,]", "<n>"], gives=["found:float64[]"])
    def detect(image, n):
        return [float(sum(row)) for row in image.tolist()]

    weir_worker.serve()

In the program: worker("detect", takes(image, n), gives(found), {"python3", "detect.py"}).

A label is "name:type", "<name>" for a tag or "<#name>" for a binding tag. Types are
    int8 .. int64, uint8 .. uint64, int (any of them)      int
    float32, float64, float (either)                       float
    bool                                                   bool
    string, path                                           str
    bytes                                                  memoryview of bytes
    float64[], int32[,], array (any of them), ..           memoryview of these numbers, in this many dimensions;
                                                           a numpy array where numpy is installed
The values of arrays and bytes are those of the other program, and are valid until the function returns: keep a copy.

The function takes one argument for each label of `takes` and returns the value of the only label of `gives`, or a tuple
of all values; None gives no record. A generator gives a record for each value that it yields. Where `gives` is a list
of lists, each is a variant, and a result is a dict of labels and values. Arrays may be given as memoryview, bytes,
array.array, numpy arrays, or lists of numbers. An exception ends the record of the call; the script goes on.

With box(.., batched=True) the function takes a list for each label, of one value for each record of a call, and returns
a list of as many results, of which None gives no record. The program says worker(..).batched(n). If it raises an
exception, it is called again for each record alone.

empty(shape, element) is an array in memory that goes to the other program without a copy: for large results.

cores() is the number of cores that the present call may use. Where threadpoolctl is installed, its limits follow that.

Needs Python 3.9 and Linux, and nothing else. One thread.
"""

import array
import errno
import fcntl
import json
import mmap
import os
import resource
import socket
import struct
import sys
import time
import traceback

try:
    import numpy
except ImportError:
    numpy = None
try:
    import threadpoolctl
except ImportError:
    threadpoolctl = None

VERSION = 1
SOCKET_VARIABLE = "WEIR_SOCKET"

_PREFIX = struct.Struct("<4sIQ")
_MOST_HEAD = 1 << 20
_MOST_BODY = 1 << 30
_IN_FILE = 64 << 10  # a block of this size or more goes in a file of memory
_MOST_FILES = 64

# Of the elements of arrays: the letter of array.array and memoryview.
_ELEMENTS = {
    "int8": "b", "int16": "h", "int32": "i", "int64": "q",
    "uint8": "B", "uint16": "H", "uint32": "I", "uint64": "Q",
    "float32": "f", "float64": "d",
}
_RANGES = {"int": (-(2**63), 2**64 - 1)} | dict.fromkeys(["tag", "binding tag"], (-(2**63), 2**63 - 1))
for _name, _letter in _ELEMENTS.items():
    _bits = 8 * struct.calcsize(_letter)
    if _letter.isupper():
        _RANGES[_name] = (0, 2**_bits - 1)
    elif _letter not in "fd":
        _RANGES[_name] = (-(2 ** (_bits - 1)), 2 ** (_bits - 1) - 1)
_FLOATS = {"float32", "float64", "float"}
_ASYNC = 0x80 | 0x200  # CO_COROUTINE and CO_ASYNC_GENERATOR of inspect, which takes long to import
_NOT_FINITE = {"nan", "-nan", "inf", "-inf"}


class Closed(Exception):
    """The program that calls has ended, or needs the worker no longer."""


class ProtocolError(Exception):
    """What came is no message of the protocol."""


class UndeclaredLabels(TypeError):
    """A box gave labels that are none of its declared outputs."""


class _Label:
    def __init__(self, text):
        text = text.strip()
        if text.startswith("<#") and text.endswith(">"):
            self.name, self.type = text[2:-1], "binding tag"
        elif text.startswith("<") and text.endswith(">"):
            self.name, self.type = text[1:-1], "tag"
        else:
            self.name, _, self.type = (part.strip() for part in text.partition(":"))
        known = set(_RANGES) | _FLOATS | {"bool", "string", "path", "bytes", "array"}
        element, _, dimensions = self.type.partition("[")
        is_array = element in _ELEMENTS and dimensions.rstrip("]").strip(",") == "" and dimensions.endswith("]")
        if not self.name or not (self.type in known or is_array):
            raise TypeError(f'label "{text}": expected "name:type", "<name>" or "<#name>", with a type of {sorted(known)} or float64[], ..')
        self.element = element if is_array else None
        self.dimensions = dimensions.count(",") + 1 if is_array else None

    def __str__(self):
        return {"tag": f"<{self.name}>", "binding tag": f"<#{self.name}>"}.get(self.type, self.name)

    def key_in(self, values):
        """Its own name, or, as a tag may be called, the name without brackets."""
        return next((key for key in (str(self), self.name) if key in values), None)

    def as_json(self):
        return {"name": self.name, "type": self.type}


class _Box:
    def __init__(self, function, name, takes, gives, batched):
        self.function = function
        self.batched = batched
        self.name = name
        takes, gives = ([labels] if isinstance(labels, str) else labels for labels in (takes, gives))
        self.takes = [_Label(label) for label in takes]
        if gives is None:
            gives = []  # a sink
        elif not gives or isinstance(gives[0], str):
            gives = [gives]
        self.variants = [[_Label(label) for label in variant] for variant in gives]

    def values_of(self, result):
        """The number of the variant, and its values in order."""
        if isinstance(result, dict):
            for number, variant in enumerate(self.variants):
                if len(variant) != len(result):
                    continue
                chosen = [label.key_in(result) for label in variant]
                if len(set(chosen)) == len(variant) and None not in chosen:
                    return number, [result[key] for key in chosen]
            raise UndeclaredLabels(f"the box {self.name} gave {sorted(map(str, result))}, which is none of its outputs")
        if len(self.variants) != 1:
            raise TypeError(f"the box {self.name} has {len(self.variants)} variants: give a dict of labels and values")
        labels = self.variants[0]
        if len(labels) > 1 and isinstance(result, (str, bytes, bytearray, set, frozenset)):
            raise TypeError(f"the box {self.name} gave {type(result).__name__}, expected a tuple of {len(labels)} values")
        values = [result] if len(labels) == 1 else list(result)
        if len(values) != len(labels):
            raise TypeError(f"the box {self.name} gave {len(values)} values, expected {len(labels)}")
        return 0, values


_boxes = {}
_cores = 1


def box(takes, gives, name=None, batched=False):
    """Makes a function a box: see above. `name` is by default that of the function."""

    def made(function):
        called = name or function.__name__
        if getattr(getattr(function, "__code__", None), "co_flags", 0) & _ASYNC:
            raise TypeError(f"the box {called} is an async function, expected an ordinary one, which may call asyncio.run")
        if called in _boxes:
            raise TypeError(f"there are two boxes {called} in this script")
        _boxes[called] = _Box(function, called, takes, gives, batched)
        return function

    return made


def cores():
    """The number of cores that the present call may use."""
    return _cores


_own_files = {}  # of empty(): by the identity of their mapping


def empty(shape, element="float64"):
    """An array of zeros to be filled and given as a result, once: its memory goes to the other program."""
    shape = [shape] if isinstance(shape, int) else list(shape)
    size = struct.calcsize(_ELEMENTS[element])
    for dimension in shape:
        size *= dimension
    if size == 0:
        return _array(memoryview(b""), element, shape)
    file = _sealed_file()
    os.ftruncate(file, size)
    whole = mmap.mmap(file, size)
    _own_files[id(whole)] = (whole, file)
    return _array(memoryview(whole), element, shape)


def _own_file_of(data):
    """The mapping and file that are exactly this memory, if empty() made it."""
    own = getattr(data, "obj", None)
    while numpy is not None and isinstance(own, numpy.ndarray):
        own = own.base
    if isinstance(own, memoryview):
        own = own.obj
    found = _own_files.get(id(own))
    return found if found is not None and len(found[0]) == len(data) else None


def serve():
    """Runs the box that the program asks for, until it needs the worker no longer.

    In a process that multiprocessing has started, which imports the script, it does nothing.
    """
    if sys._getframe(1).f_globals.get("__name__") == "__mp_main__":
        return
    number = os.environ.pop(SOCKET_VARIABLE, None)
    if number is None:
        sys.exit("weir_worker: this script is a worker: it has no socket of a program that calls it; "
                 "start it by weir::worker(name, takes(..), gives(..), {\"python3\", script})")
    try:
        with _Connection(socket.socket(fileno=int(number))) as connection:
            _serve(connection)
    except Closed:
        pass
    except ProtocolError as error:
        sys.exit(f"weir_worker: the program that called sent what is no message: {error}")
    except OSError as error:
        is_closed = error.errno in (errno.EBADF, errno.ENOTSOCK)
        sys.exit("weir_worker: "
                 + (f"this process has closed its connection to the program that called, descriptor {number}"
                    if is_closed else "the connection to the program that called failed") + f": {error.strerror}")


def _serve(connection):
    head, _ = connection.receive()
    if head.get("kind") != "greeting":
        raise ProtocolError("the first message is no greeting")
    if head.get("version") != VERSION:
        connection.send({"kind": "error", "text": f"it speaks version {VERSION} of the protocol, and was greeted in version {head.get('version')}"})
        return
    chosen = _boxes.get(head.get("box"))
    if chosen is None:
        connection.send({"kind": "error", "text": f'it has no box "{head.get("box")}", but {", ".join(sorted(_boxes))}'})
        return
    connection.send({
        "kind": "greeting", "version": VERSION, "box": chosen.name, "takes_batches": chosen.batched,
        "takes": [label.as_json() for label in chosen.takes],
        "gives": [[label.as_json() for label in variant] for variant in chosen.variants],
    })
    while True:
        head, blocks = connection.receive()
        if head.get("kind") == "stop":
            return
        if head.get("kind") != "call":
            raise ProtocolError("a message is neither a call nor a stop")
        _call(chosen, head, blocks, connection)


def _set_cores(number):
    global _cores
    if number == _cores and _set_cores.is_set:
        return
    _cores = number
    _set_cores.is_set = True
    if threadpoolctl is not None:
        threadpoolctl.threadpool_limits(limits=number)


_set_cores.is_set = False


class _Used:
    """What a call used."""

    def __init__(self):
        self.elsewhere = 0.0
        self.began, self.cpu = time.monotonic(), time.process_time()

    def members(self):
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        return {"seconds": max(0.0, time.monotonic() - self.began - self.elsewhere),
                "cpu": max(0.0, time.process_time() - self.cpu), "peak": peak}


def _call(chosen, head, blocks, connection):
    number = head.get("call")
    if type(number) is not int:
        raise ProtocolError("a call has no number")
    _set_cores(max(1, int(head.get("cores", 1))))
    connection.begin_call()
    used = _Used()
    try:
        if chosen.batched:
            end = _call_for_several(chosen, head, blocks)
            done = dict(end[0].members(), kind="done", call=number)
            _send_results(connection, done, chosen, end[1], "records" in head)
            return
        arguments = _arguments(head.get("values"), chosen, blocks)
        used = _Used()
        result = chosen.function(*arguments)
        last = None
        if hasattr(result, "__next__"):
            for one in result:
                if one is None:
                    continue
                before = time.monotonic()
                variant, given = chosen.values_of(one)
                _send_values(connection, {"kind": "result", "call": number, "variant": variant}, chosen.variants[variant], given)
                used.elsewhere += time.monotonic() - before
        elif result is not None:
            last = chosen.values_of(result)
        elif chosen.variants == [[]]:
            last = (0, [])
        done = dict(used.members(), kind="done", call=number)
        if last is None:
            connection.send(done)
        else:
            _send_values(connection, dict(done, variant=last[0]), chosen.variants[last[0]], last[1])
    except (Closed, ProtocolError):
        raise
    except Exception as error:
        text = f"{type(error).__name__}: {_words_of(error)} ({_place_of(error, chosen.function)}){_causes_of(error)}"
        message = dict(used.members(), kind="error", call=number, text=text[:4000])
        if isinstance(error, (MemoryError, UndeclaredLabels)):
            message["cause"] = "memory" if isinstance(error, MemoryError) else "labels"
        connection.send(message)


def _arguments(values, chosen, blocks):
    if not isinstance(values, list) or len(values) != len(chosen.takes):
        raise ProtocolError(f"a call of {chosen.name} has other values than it takes")
    return [_read(value, label, blocks) for value, label in zip(values, chosen.takes)]


def _call_for_several(chosen, head, blocks):
    """What the call used, and for each record its variant and values, or None."""
    records = head.get("values") if "records" in head else [head.get("values")]
    if not isinstance(records, list) or "records" in head and len(records) != head["records"]:
        raise ProtocolError(f"a call for {head.get('records')} records has not the values of as many")
    arguments = [_arguments(values, chosen, blocks) for values in records]
    used = _Used()
    results = chosen.function(*(list(column) for column in zip(*arguments)))
    if results is None and not chosen.variants:
        return used, [None] * len(records)
    results = list(results)
    if len(results) != len(records):
        raise ValueError(f"it returned {len(results)} results for a batch of {len(records)} records")
    return used, [None if one is None else chosen.values_of(one) for one in results]


def _send_results(connection, done, chosen, results, are_several):
    blocks = []

    def written(variant, values):
        return {"variant": variant,
                "values": [_written(value, label, blocks) for value, label in zip(values, chosen.variants[variant])]}

    if are_several:
        done["results"] = [dict(written(*one), record=record) for record, one in enumerate(results) if one is not None]
    elif results[0] is not None:
        done.update(written(*results[0]))
    connection.send(done, blocks)


def _words_of(error):
    try:
        return str(error)
    except Exception as other:  # of its own __str__
        return f"its words are not known, since its __str__ raised {type(other).__name__}"


def _causes_of(error):
    """The causes that `raise .. from` kept, from the outer to the inner; the first few of a deep one."""
    text = ""
    for _ in range(4):
        error = error.__cause__
        if error is None:
            return text
        text += f", caused by {type(error).__name__}: {_words_of(error)}"
    return text if error.__cause__ is None else text + ", and so on"


def _place_of(error, function):
    """The line of the script that raised an error, or the box whose arguments or result are wrong."""
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    if own:
        return f"{os.path.basename(own[-1].filename)}:{own[-1].lineno}"
    code = getattr(function, "__code__", None)
    return f"{os.path.basename(code.co_filename)}: {function.__name__}" if code else type(function).__name__


def _send_values(connection, head, labels, values):
    blocks = []
    head["values"] = [_written(value, label, blocks) for value, label in zip(values, labels)]
    connection.send(head, blocks)


def _read(value, label, blocks):
    kind = label.type
    if isinstance(value, list):
        try:
            block = blocks[value[0]]
        except (IndexError, TypeError):
            raise ProtocolError(f"{label}: there is no such block") from None
        if len(value) == 1:
            if kind == "string":
                return bytes(block).decode("utf-8", "surrogateescape")
            if kind == "path":
                return os.fsdecode(bytes(block))
            return block
        if not isinstance(value[1], str):
            raise ProtocolError(f"{label}: a value of C++ that is no array")
        return _array(block, value[1], value[2:])
    if isinstance(value, str) and value in _NOT_FINITE:
        return float(value)
    if kind in _FLOATS and isinstance(value, int):
        return float(value)
    return value


def _array(block, element, shape):
    if element == "bytes":
        return block
    letter = _ELEMENTS.get(element)
    if letter is None:
        raise ProtocolError(f"there are no elements of type {element}")
    if numpy is not None:
        return numpy.frombuffer(block, dtype=letter).reshape(shape) if len(block) else numpy.empty(shape, letter)
    return block.cast(letter, shape) if len(block) else memoryview(b"").cast(letter)


def _written(value, label, blocks):
    """The value as JSON; its bytes are appended to blocks."""
    kind = label.type
    if kind in _RANGES and hasattr(value, "__index__"):
        return _in_range(value.__index__(), label)
    try:
        if kind in _RANGES:
            return value.__index__()
        if kind in _FLOATS or kind == "bool":
            if isinstance(value, (str, bytes, bytearray)):  # float("nan") is a number, and bool("False") is True
                raise TypeError("a text is no number")
            if kind == "bool":
                return bool(value)
            x = float(value)
            return x if x - x == 0 else repr(x)
        if kind == "string":
            return _block(str.encode(value, "utf-8", "surrogateescape"), blocks)
        if kind == "path":
            return _block(os.fsencode(value), blocks)
        if kind == "bytes":
            data = _bytes_of(memoryview(value))
            return _block(data, blocks) + ["bytes", len(data)]
        return _written_array(value, label, blocks)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise TypeError(f"{label} is {type(value).__name__}, expected {kind}: {error}") from None


def _in_range(value, label):
    least, most = _RANGES[label.type]
    if not least <= value <= most:
        size = value.bit_length()
        shown = value if size <= 256 else f"an integer of {size} bits"  # Python refuses to write a very long one
        raise OverflowError(f"{label} is {shown}, which does not fit {label.type}")
    return value


def _block(data, blocks):
    blocks.append(data)
    return [len(blocks) - 1]


def _written_array(value, label, blocks):
    if isinstance(value, (list, tuple)):
        shape, flat = [], value
        while flat and isinstance(flat[0], (list, tuple)):
            shape.append(len(flat))
            if any(len(row) != len(flat[0]) for row in flat):
                raise ValueError("its rows differ in length")
            flat = [x for row in flat for x in row]
        last = len(flat)
        for dimension in shape:
            last //= max(1, dimension)
        shape = _products_to_dimensions(shape) + [last]
        view = memoryview(array.array(_ELEMENTS[label.element or "float64"], flat))
        element = label.element or "float64"
    else:
        if numpy is not None and isinstance(value, numpy.ndarray):
            value = numpy.ascontiguousarray(value)
        view = memoryview(value)
        shape, element = list(view.shape), _element_of(view)
    if label.element is not None:
        if element != label.element:
            raise ValueError(f"its elements are {element}")
        if view.nbytes == 0 and len(shape) != label.dimensions:
            shape = [0] * label.dimensions  # a memoryview without elements has one dimension
        if len(shape) != label.dimensions:
            raise ValueError(f"it has {len(shape)} dimensions")
    return _block(_bytes_of(view), blocks) + [element] + shape


def _bytes_of(view):
    """The bytes of all elements in their order: in place where they lie side by side, else a copy."""
    if any("O" in part for part in view.format.split(":")[::2]):  # between colons are names of members
        raise ValueError("its elements are objects of Python")  # the bytes would be their addresses
    if view.nbytes == 0:
        return b""
    return view.cast("B") if view.c_contiguous else view.tobytes()


def _products_to_dimensions(lengths):
    """Lengths of all lists of each level together, as a shape."""
    return [length // before for length, before in zip(lengths, [1] + lengths[:-1])]


def _element_of(view):
    letter = view.format.lstrip("@=<")
    for name, own in _ELEMENTS.items():
        floating = own in "fd"
        if view.itemsize == struct.calcsize(own) and floating == (letter in "fd") and (floating or letter.isupper() == own.isupper()):
            if letter in "bhilqBHILQfd":
                return name
    raise ValueError(f"its elements have the format {view.format}")


def _sealed_file():
    file = os.memfd_create("weir", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    fcntl.fcntl(file, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
    return file


class _Area:
    """A file of memory, which this process fills for the other, and uses again for the next call."""

    def __init__(self):
        self.file = self.map = None
        self.size = self.used = 0
        self.is_passed = False

    def put(self, data):
        offset = (self.used + 63) // 64 * 64
        end = offset + len(data)
        if end > self.size:
            self._grow(end)
        self.map[offset:end] = data
        self.used = end
        return offset

    def _grow(self, size):
        if self.file is None:
            self.file = _sealed_file()
        size = (max(size, 1 << 20, self.size + self.size // 2) + 4095) // 4096 * 4096
        os.ftruncate(self.file, size)
        self.map = mmap.mmap(self.file, size)
        self.size = size


class _Connection:
    def __init__(self, own):
        own.setblocking(True)
        own.set_inheritable(False)
        self.socket = own
        self.buffer = bytearray()
        self.arrived = []
        self.files = {}
        self.area = _Area()
        self.next_file = 1
        self.process = os.getpid()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def begin_call(self):
        self.area.used = 0
        for _, file in _own_files.values():
            os.close(file)
        _own_files.clear()

    def send(self, head, blocks=()):
        if os.getpid() != self.process:  # a copy, made by os.fork(), that left the function: it has no call to answer
            os._exit(1)
        places, body, passed, numbers = [], [], [], []
        for data in blocks:
            size = len(data)
            own = _own_file_of(data) if size >= _IN_FILE and len(passed) + 1 < _MOST_FILES else None
            if own is not None:
                passed.append(own[1])
                numbers.append(self.next_file)
                places.append([size, 0, self.next_file])
                self.next_file += 1
            elif size >= _IN_FILE:
                places.append([size, self.area.put(data), 0])
            else:
                places.append(size)
                body.append(data)
                if size % 8:
                    body.append(bytes(8 - size % 8))
        if places:
            head["blocks"] = places
        passes_area = self.area.used and not self.area.is_passed
        if passes_area:
            passed.append(self.area.file)
            numbers.append(0)
        if numbers:
            head["files"] = numbers
        text = json.dumps(head, allow_nan=False, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)
        if len(text) > _MOST_HEAD:
            raise ValueError(f"a message with a head of {len(text)} bytes, at most {_MOST_HEAD} can be sent")
        parts = [_PREFIX.pack(b"weir", len(text), sum(len(part) for part in body)), text] + body
        whole = b"".join(parts)
        try:
            control = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", passed))] if passed else []
            sent = self.socket.sendmsg([whole], control)
            self.area.is_passed = self.area.is_passed or passes_area
            if sent < len(whole):
                self.socket.sendall(memoryview(whole)[sent:])
        except (BrokenPipeError, ConnectionResetError):
            raise Closed() from None

    def _need(self, size):
        while len(self.buffer) < size:
            try:
                data, control, flags, _ = self.socket.recvmsg(max(65536, min(size - len(self.buffer), 1 << 20)),
                                                              socket.CMSG_SPACE(4 * _MOST_FILES), socket.MSG_CMSG_CLOEXEC)
            except ConnectionResetError:
                raise Closed() from None
            for level, kind, numbers in control:
                if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                    self.arrived.extend(array.array("i", numbers[:len(numbers) // 4 * 4]))
            if not data:
                raise Closed()
            self.buffer += data

    def receive(self):
        """The head of the next message and its blocks, which are valid until the next one."""
        self._need(_PREFIX.size)
        magic, head_size, body_size = _PREFIX.unpack_from(self.buffer)
        if magic != b"weir" or head_size > _MOST_HEAD or body_size > _MOST_BODY:
            raise ProtocolError("it does not begin as one")
        end = _PREFIX.size + head_size + body_size
        self._need(end)
        message = memoryview(bytes(self.buffer[:end]))
        del self.buffer[:end]
        try:
            head = json.loads(bytes(message[_PREFIX.size:_PREFIX.size + head_size]))
        except ValueError as error:
            raise ProtocolError(f"its head is no JSON: {error}") from None
        if not isinstance(head, dict):
            raise ProtocolError("its head is no JSON object")
        for number in [number for number in self.files if number != 0]:
            os.close(self.files.pop(number)[0])
        for number in head.get("files", ()):
            if not self.arrived:
                raise ProtocolError("it names a file that did not come with it")
            old = self.files.pop(number, None)
            if old is not None:
                os.close(old[0])
            self.files[number] = [self.arrived.pop(0), None]
        return head, self._blocks(head, message[_PREFIX.size + head_size:])

    def _blocks(self, head, body):
        blocks, used = [], 0
        for place in head.get("blocks", ()):
            if isinstance(place, list):
                size, offset, number = place
                blocks.append(self._mapped(number, offset + size)[offset:offset + size])
            else:
                if place > len(body) - used:
                    raise ProtocolError("its blocks are longer than its body")
                blocks.append(body[used:used + place])
                used += (place + 7) // 8 * 8
        return blocks

    def _mapped(self, number, end):
        if number not in self.files:
            raise ProtocolError(f"a block is in file {number}, which was not passed")
        file = self.files[number]
        if file[1] is None or len(file[1]) < end:
            size = os.fstat(file[0]).st_size
            if size < end:
                raise ProtocolError("a block ends behind its file")
            file[1] = mmap.mmap(file[0], size, access=mmap.ACCESS_READ)
        return memoryview(file[1])
