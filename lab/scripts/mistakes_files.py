"""Damaged models and checkpoints; `mistakes.py` runs them through every command that loads one.

Flipped bytes and cuts are at places that a fixed seed draws, half of them within the header. Every one must be refused
by every command; a file whose damage is accepted counts as silent, even where the results stay the same.
"""

import functools
import json
import random
import re
import struct
import subprocess

from mistakes import CRASHES, PROGRAM, Case, Outcome
from mistakes_terminal import FAST, write_sets

COMMANDS = [
    ["show", "{}"],
    ["predict", "{}", "a.csv"],
    ["evaluate", "{}", "a.csv"],
    ["explain", "{}", "a.csv", "--graph", "m3"],
    ["report", "{}", "a.csv", "-o", "page.html"],
    ["match", "{}", "a.csv"],
    ["verify", "{}", "a.csv"],
]
MODELS = {
    "default": FAST.split(), "l1": [*FAST.split()[2:4], "--penalty", "l1", "--preset", "ein", "--qualifiers", "none"],
    "gin": ["--sizes", "0,1", "--max-edges", "2", "--preset", "gin", "--set", "max_iterations=3"],
    "bootstrap": [*FAST.split(), "--bootstrap", "2"],
}
# What is written in place of the first value of these words of the header.
CRAFTED = ["-1", "99", "4294967296", "1e400", "null", "[]", "{}", '"x"', "true", "0.5"]
WORDS = [
    "chosen",
    "size",
    "patterns",
    "iterations",
    "support",
    "code",
    "tasks",
    "params",
    "rows",
    "train",
    "shape",
    "dtype",
    "data_offsets",
    "format",
    "seed",
    "tokens",
    "names",
    "folds",
    "effects",
    "fitted",
    "metric",
    "before",
    "lambda",
    "fingerprint",
    "vertex_labels",
]


def train(folder, name, options):
    command = [PROGRAM, "-q", "train", "a.csv", "--target", "active", "-o", name, *options]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return (folder / name).read_bytes()


def checkpoint(folder):
    """A checkpoint after two passes."""
    command = [PROGRAM, "-q", "train", "a.csv", "--target", "active", "-o", "y", *FAST.split()]
    hooks = {"EINSICHT_CHECKPOINT_PASSES": "1", "EINSICHT_AT_PASS": "2:kill"}
    subprocess.run(command, cwd=folder, env=hooks, capture_output=True)
    return (folder / "y.partial").read_bytes()


def flipped(rng, data, most):
    at = rng.randrange(min(most, len(data)))
    changed = bytearray(data)
    changed[at] ^= 1 << rng.randrange(8)
    return f"bit flipped in byte {at}", bytes(changed)


def damages(rng, data, count):
    """Names and bytes of damaged files."""
    header = 8 + struct.unpack("<Q", data[:8])[0] if len(data) > 8 else len(data)
    header = min(header, len(data))
    for i in range(count):
        yield flipped(rng, data, header if i % 2 else len(data))
    for _ in range(count // 3):
        at = rng.randrange(len(data))
        yield f"cut at byte {at}", data[:at]
        start = rng.randrange(header, len(data)) if header < len(data) else 0
        yield f"eight bytes of a NaN at {start}", data[:start] + struct.pack("<d", float("nan")) + data[start + 8 :]
    yield "a byte more", data + b"\0"
    yield "twice", data + data
    yield "empty", b""
    yield "eight bytes", data[:8]
    for length in (0, 1, 2**40, 2**64 - 1):
        yield f"length of the header {length}", struct.pack("<Q", length) + data[8:]
    yield "header of nested lists", struct.pack("<Q", 200000) + b"[" * 200000


def crafted(data):
    """The same tensors under headers with other values, in the metadata and outside."""
    size = struct.unpack("<Q", data[:8])[0]
    header = data[8 : 8 + size].decode()
    outer = json.loads(header)
    inner = outer["__metadata__"]["einsicht"]
    for i, word in enumerate(WORDS):
        value = r'("%s":)(\[[^\[\]]*\]|"[^"]*"|\{[^{}]*\}|[^,{}\[\]]+)' % word
        for new in (CRAFTED[i % len(CRAFTED)], CRAFTED[(i * 3 + 1) % len(CRAFTED)]):
            if re.search(value, inner):
                metadata = {**outer["__metadata__"], "einsicht": re.sub(value, lambda m: m[1] + new, inner, count=1)}
                changed = json.dumps({**outer, "__metadata__": metadata}, separators=(",", ":"))
            elif re.search(value, header):
                changed = re.sub(value, lambda m: m[1] + new, header, count=1)
            else:
                continue
            yield f"{word} is {new}", struct.pack("<Q", len(changed.encode())) + changed.encode() + data[8 + size :]


def load_everywhere(folder, commands, data, name):
    """Gives the file to all commands: the worst that any of them says."""
    (folder / name).write_bytes(data)
    worst, refusal = None, ""
    for command in commands:
        line = [PROGRAM, *(word.format(name) for word in command)]
        try:
            done = subprocess.run(line, cwd=folder, capture_output=True, timeout=120)
        except subprocess.TimeoutExpired:
            return Outcome("timeout", f"{command[0]}: no end within two minutes")
        said = done.stderr.decode(errors="replace")
        if done.returncode not in (0, 1, 2, 3) or CRASHES.search(said):
            return Outcome(done.returncode if done.returncode else 101, f"{command[0]}: {said[-600:]}")
        if done.returncode == 0 or command[0] == "verify" and "error" not in said:
            worst = worst or Outcome(0, f"{command[0]}: accepted")
        else:
            refusal = said
    return worst or Outcome(1, refusal)


def cases(folder):
    write_sets(folder)
    for kind, options in MODELS.items():
        data, rng = train(folder, f"whole-{kind}", options), random.Random(kind)
        broken = [*damages(rng, data, 16), *crafted(data)]
        for what, changed in broken:
            action = functools.partial(load_everywhere, folder, COMMANDS, changed, "damaged")
            yield Case(f"model {kind}: {what}", ["damaged"], "refuse", action)
    data, rng = checkpoint(folder), random.Random("checkpoint")
    resume = [["train", "a.csv", "--target", "active", "--resume", "-o", "z", *FAST.split()]]
    for what, changed in damages(rng, data, 40):
        yield Case(f"checkpoint: {what}", ["z.partial"], "refuse",
                   functools.partial(load_everywhere, folder, resume, changed, "z.partial"))
