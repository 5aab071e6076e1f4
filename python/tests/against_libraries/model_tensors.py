"""Tensors of a model file by plain numpy and zlib, as docs/formats.md describes them."""

import zlib

import numpy

KINDS = [numpy.uint8, numpy.dtype("<u4"), numpy.dtype("<f8")]


def tensor(file, name):
    """A tensor as it was before it was packed."""
    stored = file.get_tensor(name)
    if stored.dtype != numpy.uint8:
        return stored
    packed = stored.tobytes()
    kind, dimensions = packed[:2]
    shape = numpy.frombuffer(packed, "<u4", dimensions, 2).tolist()
    return numpy.frombuffer(zlib.decompress(packed[2 + 4 * dimensions :]), KINDS[kind]).reshape(shape)


def forest(file, name, width):
    """A forest: for each tree its splits (column, threshold, left, right), by node; leaves have column -2 and their
    answer.
    """
    code = tensor(file, name).tobytes()
    at = 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = code[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def floats(count):
        nonlocal at
        at += 8 * count
        return numpy.frombuffer(code, "<f8", count, at - 8 * count)

    trees, nodes, columns = number(), number(), number()
    bits = numpy.unpackbits(numpy.frombuffer(code, numpy.uint8, (nodes + 7) // 8, at), bitorder="little")[
        :nodes
    ].astype(bool)
    at += (nodes + 7) // 8
    thresholds = [floats(number()) for _ in range(columns)]
    of_splits = [number() for _ in range(int(bits.sum()))]
    cuts = [thresholds[column][number()] for column in of_splits]
    of_leaves = [number() for _ in range(nodes - len(of_splits))]
    answers = floats(of_leaves.count(0) * width).reshape(-1, width)
    assert at == len(code)
    splits, leaves, new, found = iter(zip(of_splits, cuts, strict=True)), iter(of_leaves), iter(range(len(answers))), []
    node = 0

    def grow(tree):
        nonlocal node
        here, split = len(tree), bits[node]
        node += 1
        if not split:
            place = next(leaves)
            tree.append([-2, 0.0, -1, -1, answers[next(new) if place == 0 else place - 1]])
            return here
        tree.append([*next(splits), here + 1, 0, numpy.zeros(width)])
        grow(tree)
        tree[here][3] = grow(tree)
        return here

    for _ in range(trees):
        found.append([])
        grow(found[-1])
    return found
