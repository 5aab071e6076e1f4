"""Mistakes that people make, and what einsicht says: on the terminal, in Python, and with damaged files.

    python lab/scripts/mistakes.py [terminal] [python] [files] [--only WORD] [--show]

Every case names what must happen. `refuse` must end with exit status 1 or 2 (Python: an error of the kinds that
`sklearn` documents), `say` must succeed and say something to stderr (Python: warn), `fine` must succeed. `words` are
regular expressions that the message must contain: what was given and where. The result of a case is

    good     as it must be
    poor     refused, or said, without all the words
    silent   accepted without a word what must be refused or said
    strict   refused what must succeed
    crashed  panic, signal, traceback of our own code, or no end within two minutes

Prints every case that is not good (`--show`: all, with what was said) and the counts. Exits with 1 if a case is
silent or crashed. Needs the development build of the program (`EINSICHT_PROGRAM` takes another one) and, for Python,
the package with the requirements of its tests.
"""

import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("EINSICHT_PROGRAM", str(ROOT / "target/debug/einsicht"))
CRASHES = re.compile(r"panicked at|Traceback \(most recent|internal error|SIGSEGV|stack overflow")

Case = collections.namedtuple("Case", "name words kind action")
Outcome = collections.namedtuple("Outcome", "status said")


def judge(case, outcome):
    """The result of a case: one of the words of the head."""
    if outcome.status == "timeout" or outcome.status not in (0, 1, 2, 3) or CRASHES.search(outcome.said):
        return "crashed"
    lacks = any(not re.search(word, outcome.said, re.IGNORECASE) for word in case.words)
    if case.kind == "fine":
        return "strict" if outcome.status else "silent" if lacks else "good"
    if case.kind == "say":
        return "strict" if outcome.status not in (0, 3) else "silent" if lacks else "good"
    if outcome.status == 0:
        return "silent"
    return "poor" if lacks else "good"


def run_terminal(command, folder):
    """Runs a line of the shell in a folder, where `e` is the program."""
    line = f"e() {{ '{PROGRAM}' \"$@\"; }}; {command}"
    try:
        done = subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, timeout=120)
    except subprocess.TimeoutExpired:
        return Outcome("timeout", "no end within two minutes")
    said = done.stdout.decode(errors="replace")[-3000:] + "\n" + done.stderr.decode(errors="replace")[-3000:]
    return Outcome(done.returncode, said)


def report(part, results, show):
    """Prints what is not good, and the counts."""
    for case, outcome, result in results:
        if show or result != "good":
            said = " / ".join(line.strip() for line in outcome.said.splitlines() if line.strip())
            print(f"{part:9} {result:8} {case.name}\n          {outcome.status}: {said[: 1500 if show else 400]}")
    counts = collections.Counter(result for _, _, result in results)
    print(
        f"{part}: {len(results)} cases: " + ", ".join(f"{word} {n}" for word, n in sorted(counts.items())), flush=True
    )
    return counts


def main(words):
    only = words[words.index("--only") + 1] if "--only" in words else ""
    parts = [word for word in words if word in ("terminal", "python", "files")] or ["terminal", "python", "files"]
    total = collections.Counter()
    for part in parts:
        module = __import__(f"mistakes_{part}")
        with tempfile.TemporaryDirectory() as folder:
            cases = [case for case in module.cases(pathlib.Path(folder)) if only in case.name]
            results = []
            for case in cases:
                outcome = case.action() if callable(case.action) else run_terminal(case.action, folder)
                results.append((case, outcome, judge(case, outcome)))
            total += report(part, results, "--show" in words)
    return 1 if total["silent"] or total["crashed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
