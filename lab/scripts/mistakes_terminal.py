"""Mistakes on the terminal; `mistakes.py` runs them."""

import gzip
import json
import shutil
import subprocess

from mistakes import PROGRAM, ROOT, Case

FAST = "--sizes 1,2 --max-edges 2 --folds 2 --qualifiers none"
INNER = FAST.replace("--folds", "--inner-folds")
MOLECULES = """CCO CCN CCC CCCl CC=O CCBr CCCO CCCN CC(C)O CC(C)N c1ccccc1O c1ccccc1N c1ccccc1 c1ccccc1Cl CC(=O)O
CC(=O)N CCOCC CCNCC CCSCC CCCCO CCCCN C1CCCCC1 C1CCCCC1O C1CCCCC1N OCCO NCCN ClCCCl BrCCBr CC#N CC(C)C c1ccncc1
c1ccncc1O c1ccncc1N Cc1ccccc1 Oc1ccccc1O Nc1ccccc1N CCCCCC CCCCCCO CCCCCCN FC(F)F""".split()


def rows():
    """Forty molecules with a class, a number, a name and a series each."""
    for i, smiles in enumerate(MOLECULES):
        has_oxygen = int("O" in smiles)
        yield smiles, f"m{i}", has_oxygen, round(len(smiles) * 0.37 + i % 7 * 0.11, 2), f"s{i % 5}"


def table(change=lambda i, cells: cells, header="smiles,id,active,logp,series", separator=","):
    """The table as text, with changed cells."""
    lines = [separator.join(map(str, change(i, list(cells)))) for i, cells in enumerate(rows())]
    return "\n".join([header.replace(",", separator), *lines]) + "\n"


def with_cell(row, column, value):
    def change(i, cells):
        if i == row:
            cells[column] = value
        return cells

    return change


def write_sets(folder):
    """Whole and broken data sets."""
    plain = table()
    lines = plain.splitlines()
    sdf = "one\n\n\n  2  1  0  0  0  0            999 V2000\n    0.0000    0.0000    0.0000 C   0  0\n" \
          "    1.0000    0.0000    0.0000 O   0  0\n  1  2  1  0\nM  END\n>  <active>\n1\n\n$$$$\n"
    header = {"einsicht": 1, "targets": [{"name": "active", "kind": "classes"}]}
    graph = {"vertices": ["C", "O"], "edges": [[0, 1, ""]], "targets": ["yes"]}
    jsonl = lambda *graphs: "\n".join(map(json.dumps, (header, *graphs))) + "\n"
    files = {
        "a.csv": plain, "crlf.csv": plain.replace("\n", "\r\n"), "bom.csv": "\ufeff" + plain,
        "cr.csv": plain.replace("\n", "\r"), "tabs.csv": plain.replace(",", "\t"), "semi.csv": plain.replace(",", ";"),
        "quoted.csv": "\n".join(",".join(f'"{cell}"' for cell in line.split(",")) for line in lines) + "\n",
        "spaces.csv": plain.replace(",", " , "), "blank.csv": plain.replace("\nCCC,", "\n\nCCC,"),
        "short.csv": plain.replace("CCC,m2,0,", "CCC,m2,0\n#", 1), "long.csv": plain.replace("CCC,m2", "CCC,m2,x,y", 1),
        "onlyheader.csv": lines[0] + "\n", "empty.csv": "", "zero.csv": "\0" * 64,
        "noheader.csv": "\n".join(lines[1:]) + "\n", "nan.csv": table(with_cell(3, 2, "")),
        "allnan.csv": table(lambda i, c: c[:2] + [""] + c[3:]), "oneclass.csv": table(lambda i, c: c[:2] + [1] + c[3:]),
        "inf.csv": table(with_cell(3, 3, "inf")), "huge.csv": table(with_cell(3, 3, "1e308")),
        "tiny.csv": table(lambda i, c: c[:3] + [f"{1 + i}e-310"] + c[4:]),
        "alike.csv": table(lambda i, c: c[:3] + [f"{1e9 + i * 1e-7:.7f}"] + c[4:]),
        "comma.csv": table(lambda i, c: c[:3] + [str(c[3]).replace(".", ",")] + c[4:], separator=";"),
        "word.csv": table(with_cell(3, 3, "n.d.")), "percent.csv": table(lambda i, c: c[:3] + [f"{c[3]}%"] + c[4:]),
        "less.csv": table(with_cell(3, 3, "<5")), "bad.csv": table(with_cell(3, 0, "C1CC")),
        "name.csv": table(with_cell(3, 0, "aspirin")), "notext.csv": table(with_cell(3, 0, "")),
        "control.csv": table(with_cell(3, 1, "m\x1b[31m3")), "dup.csv": table(with_cell(3, 1, "m2")),
        "dupcol.csv": table(header="smiles,id,active,active,series"), "quote.csv": table(with_cell(3, 1, '"m3')),
        "classes.csv": table(lambda i, c: c[:2] + [f"class{i}"] + c[3:]),
        "mixed.csv": table(lambda i, c: c[:2] + [["yes", "no", "Yes", "NO", "yes "][i % 5]] + c[3:]),
        "oneof.csv": table(lambda i, c: c[:2] + ["rare" if i == 5 else c[2]] + c[3:]),
        "two.csv": "\n".join(lines[:3]) + "\n", "one.csv": "\n".join(lines[:2]) + "\n",
        "same.csv": table(lambda i, c: ["CCO"] + c[1:]), "contradict.csv": table(lambda i, c: ["CCO"] + c[1:3] + c[3:]),
        "latin.csv": plain, "big.csv": table(with_cell(3, 0, "C" * 20000)), "dots.csv": table(with_cell(3, 0, "C.C.C")),
        "other.csv": "smiles,active\n[Si],1\n[Si][Si],0\n[Si]([Si])[Si],1\n",
        "otherclasses.csv": table(lambda i, c: c[:2] + ["yes" if c[2] else "no"] + c[3:]),
        "swapped.csv": table(lambda i, c: c[:2] + [c[3], c[2], c[4]]), "nulls.csv": table(with_cell(3, 0, "CC\0O")),
        "one.sdf": sdf, "cut.sdf": sdf[: len(sdf) // 2], "nodollar.sdf": sdf.replace("$$$$\n", ""),
        "count.sdf": sdf.replace("  2  1  0", "  9  1  0"), "bond.sdf": sdf.replace("  1  2  1  0\n", "  1  7  1  0\n"),
        "atom.sdf": sdf.replace(" O   0", " Qq  0"), "v9.sdf": sdf.replace("V2000", "V3000"),
        "crlf.sdf": sdf.replace("\n", "\r\n"), "loop.jsonl": jsonl({**graph, "edges": [[0, 0, ""]]}),
        "out.jsonl": jsonl({**graph, "edges": [[0, 7, ""]]}), "neg.jsonl": jsonl({**graph, "edges": [[0, -1, ""]]}),
        "float.jsonl": jsonl({**graph, "edges": [[0, 0.5, ""]]}), "less.jsonl": jsonl({**graph, "targets": []}),
        "typo.jsonl": jsonl({"vertexes": ["C"], "edges": []}), "list.jsonl": "[1,2]\n", "none.jsonl": jsonl(),
        "typo2.jsonl": jsonl({**graph, "edgse": [[0, 1, ""]]}), "key2.jsonl": '{"einsicht":1,"einsicht":1}\n',
        "deep.jsonl": '{"einsicht":1}\n' + "[" * 100000 + "\n", "bom.jsonl": "\ufeff" + jsonl(graph, graph),
        "ok.gspan": "t # 0 1\nv 0 C\nv 1 O\ne 0 1 1\nt # 1 0\nv 0 C\nv 1 N\ne 0 1 1\n",
        "bom.gspan": "\ufefft # 0 1\nv 0 C\nt # 1 0\nv 0 N\n", "neg.gspan": "t # 0 1\nv 0 C\nv 1 O\ne 0 -1 1\n",
        "part.json": json.dumps({"trials": [{"train": list(range(25)), "valid": list(range(25, 30)),
                                             "test": list(range(30, 40))}]}),
        "far.json": json.dumps({"trials": [{"train": [0, 1, 400], "valid": [2], "test": [3]}]}),
        "twice.json": json.dumps({"trials": [{"train": [0, 1, 2], "valid": [2], "test": [3]}]}),
        "notrain.json": json.dumps({"trials": [{"train": [], "valid": [2], "test": [3]}]}),
        "notrials.json": json.dumps({"trials": []}), "nokey.json": json.dumps({"folds": [[1], [2]]}),
        "cut.json": '{"trials": [{"train": [0, 1',
        "names.json": '{"trials":[{"train":["m1"],"valid":[],"test":["m2"]}]}',
        "negative.json": '{"trials":[{"train":[-1],"valid":[],"test":[2]}]}',
        "novalid.json": json.dumps({"trials": [{"train": list(range(30)), "test": list(range(30, 40))}]}),
        "grid.json": '{"max_edges": [1, 2]}', "gridtypo.json": '{"max_edgs": [1, 2]}',
        "gridempty.json": '{"max_edges": []}',
        "gridword.json": '{"max_edges": ["two"]}', "gridscalar.json": '{"max_edges": 2}', "gridlist.json": "[1]",
        "pat.jsonl": '{"pattern":{"vertices":["C","O"],"edges":[[0,1,"single"]]}}\n',
        "patbad.jsonl": '{"pattern":{"vertices":["C","O"],"edges":[]}}\n',
        "patsmarts.jsonl": '{"pattern":"[C&!R]-O"}\n',
        "patnone.jsonl": '{"pattern":{"vertices":["Zz","O"],"edges":[[0,1,"single"]]}}\n',
        "qual.csv": "graph,vertex,colour\nm0,0,red\n", "names.txt": "6 C\n6 N\n",
        "text.txt": "hello world\nthis is text\n",
    }
    for name, text in files.items():
        (folder / name).write_bytes(text.encode())
    (folder / "latin.csv").write_bytes(plain.replace("m3", "mé3").encode("latin-1"))
    (folder / "utf16.csv").write_bytes(plain.encode("utf-16"))
    (folder / "cut.csv.gz").write_bytes(gzip.compress(plain.encode())[:-20])
    (folder / "not.csv.gz").write_bytes(plain.encode())
    (folder / "tail.csv.gz").write_bytes(gzip.compress(plain.encode()) + b"tail")
    (folder / "dir").mkdir()
    shutil.copytree(ROOT / "testdata/sets/MUTAG", folder / "MUTAG")


def write_models(folder):
    """Models and patterns that later cases use."""
    train = [PROGRAM, "-q", "train", *FAST.split()]
    calls = [
        [*train, "a.csv", "--target", "active", "-o", "m.einsicht"],
        [*train, "a.csv", "--target", "logp", "-o", "r.einsicht"],
        [*train, "a.csv", "--target", "active", "--columns", "logp", "-o", "f.einsicht"],
        [*train, "MUTAG", "-o", "mutag.einsicht"],
    ]
    for call in calls:
        subprocess.run(call, cwd=folder, check=True, capture_output=True)


def read_cases():
    """Wrong files, and right ones in odd clothes."""
    i = "e inspect {} --target active"
    for name in ("cr", "crlf", "bom", "tabs", "semi", "quoted", "blank"):
        yield Case(f"inspect {name}.csv", ["40"], "fine", i.format(f"{name}.csv"))
    for name in ("crlf.sdf", "one.sdf", "nodollar.sdf", "bom.jsonl", "bom.gspan", "not.csv.gz"):
        yield Case(f"inspect {name}", [], "fine", f"e inspect {name}")
    refused = {
        "empty.csv": ["empty"], "zero.csv": ["zero.csv"], "onlyheader.csv": ["one graph"],
        "noheader.csv": ["header|column"], "nothere.csv": ["nothere.csv", "no such|not exist"], "dir": ["dir"],
        "text.txt": ["text.txt"], "utf16.csv": ["utf-16|utf-8"], "cut.csv.gz": ["cut.csv.gz"], "tail.csv.gz": ["tail"],
        "dupcol.csv": ["active", "twice|2|several"], "m.einsicht": ["model"], "part.json": ["split|json"],
        "/dev/null": ["empty|dev/null"], "-": ["--format"], "''": ["empty|no such|path|data"],
    }
    for name, words in refused.items():
        yield Case(f"inspect {name}", words, "refuse", i.format(name) + " < /dev/null")
    for name, words in {"cut.sdf": ["line|end"], "count.sdf": ["line|atom"], "bond.sdf": ["7"],
        "atom.sdf": ["Qq", "line 6|:6"],
                        "v9.sdf": ["V30|counts|line"], "loop.jsonl": ["2", "loop"], "out.jsonl": ["7"],
                        "neg.jsonl": ["-1"],
                        "float.jsonl": ["0.5"], "typo.jsonl": ["vertices"],
                        "typo2.jsonl": ["edgse"], "list.jsonl": ["header"], "none.jsonl": ["one graph"],
                        "key2.jsonl": ["einsicht"], "deep.jsonl": ["2"], "neg.gspan": ["-1"]}.items():
        yield Case(f"inspect --on-bad stop {name}", words, "refuse", f"e inspect {name} --on-bad stop")
    t = "e train {} " + FAST + " -o x.einsicht --target {}"
    for name, target, words in [
        ("short.csv", "active", ["line 4|row 2|:4"]), ("long.csv", "active", ["line 4|row 2|:4"]),
        ("bad.csv", "active", ["C1CC"]),
        ("name.csv", "active", ["aspirin"]), ("notext.csv", "active", ["line 5|row 3|:5"]),
        ("inf.csv", "logp", ["inf", "5"]),
        ("comma.csv", "logp", ["decimal|comma|,"]), ("word.csv", "logp", ["n.d.", "5"]), ("percent.csv", "logp", ["%"]),
        ("less.csv", "logp", ["<5", "5"]), ("quote.csv", "active", ["quote", "5"]),
        ("allnan.csv", "active", ["active", "value"]),
        ("oneclass.csv", "active", ["two classes"]),
        ("a.csv", "Active", ["Active", "active"]), ("a.csv", "smiles", ["smiles"]), ("a.csv", "''", ["target|column"]),
        ("one.csv", "active", ["one|1"]), ("nulls.csv", "active", ["5|row 3"]),
        ("latin.csv", "active", ["utf-8", "5"]), ("huge.csv", "logp", ["1e308|large|range"]), 
        ("a.csv", "series --task regress", ["s0", "number"]),
    ]:
        yield Case(f"train {name} --target {target}", words, "refuse", t.format(name, target))
    for name, target, words in [("nan.csv", "active", ["1 .*(miss|no value|without)|miss"]),
        ("mixed.csv", "active", ["Yes|case|NO"]),
                                ("oneof.csv", "active", ["rare"]), ("swapped.csv", "active", ["number|regress"]),
                                ("two.csv", "active", ["single graph"]),
                                ("classes.csv", "active", ["40 classes"]), ("same.csv", "active", ["1 different"]),
                                ("tiny.csv", "logp", ["e-3"]), ("alike.csv", "logp", ["rmse .*e-"])]:
        yield Case(f"train {name} --target {target}", words, "say", t.format(name, target))
    for name in ("control.csv", "dup.csv", "dots.csv", "big.csv", "spaces.csv"):
        yield Case(f"train {name}", [], "fine", t.format(name, "active"))
    yield Case("ids with escape sequences reach no terminal", [], "fine",
               "e predict m.einsicht control.csv | grep -q $'\\x1b' && exit 9 || true")


def option_cases():
    """Wrong options and values."""
    t = "e train a.csv --target active -o x.einsicht "
    wrong = {
        "--sizes 0": ["0"], "--sizes 5,3": ["increasing"], "--sizes ''": ["sizes"], "--sizes 1,two": ["two"],
        "--sizes -1": ["-1"], "--sizes 1e9": ["1e9"], "--sizes 99999999999999999999": ["sizes"],
        "--max-edges 0": ["0", "31"], "--max-edges 32": ["32", "31"],
        "--max-edges 2.5": ["2.5"], "--max-edges all": ["all"], "--min-support 0": ["0"], "--min-support 0.5": ["0.5"],
        "--min-support 500": ["500", "40|graphs"], "--min-support 200%": ["200"], "--min-support nan%": ["nan"],
        "--set trees=": ["trees"], "--set trees": ["="], "--set tree=5": ["tree", "trees"],
        "--set trees=five": ["five"],
        "--set trees=-1": ["-1"], "--set trees=5 --set trees=6": ["trees", "twice|several|once|more than"],
        "--set max-edges=3": "fine", "--set max_edges=3 --max-edges 4": ["max_edges|max-edges"], "--set seed=3": "fine",
        "--set target=logp": ["target"], "--set learning_rate=nan": ["nan|learning_rate"],
        "--set ridge=inf": ["inf|ridge"],
        "--set ridge=-1": ["-1"], "--set ' trees=5'": "fine", "--set trees=5,6": ["5,6"], "--set =5": ["empty"],
        "--set hidden=3": ["hidden"],
        "--hidden 0 --preset ein": ["0"], "--hidden 4": ["hidden", "network"], "--gnn gin": ["gnn", "network"],
        "--head tree": ["tree"],
        "--preset best": ["best", "default"], "--penalty l2": ["l2"], "--penalty l1 --sizes 1,2": ["sizes", "l0|l1"],
        "--folds 0": ["0"], "--inner-folds 2": ["inner-folds", "--folds"],
        "--folds 41": ["41"], "--folds 1e3": ["1e3"], "--test 0": ["0"], "--test 1": ["1"], "--test 20": ["20"],
        "--test 20%": ["20%"],
        "--test nan": ["nan"], "--bootstrap -1": ["-1"], "--time-limit 5": "fine", "--time-limit -5s": ["-5s"],
        "--memory 1": ["memory|1"],
        "--memory lots": ["lots"], "--threads 0": ["0"], "--threads -1": ["-1"], "--seed -1": ["-1"],
        "--seed 1.5": ["1.5"],
        "--select acc": ["acc", "accuracy"], "--select rmse": ["rmse", "class"], "--feature counts": ["counts"],
        "--task regression": ["regression"],
        "--columns logp --columns logp": "fine", "--columns active": ["active"], "--columns series": ["series", "s0"],
        "--columns nosuch": ["nosuch"],
        "--qualifiers colour": ["colour"], "--qualifiers nothere.csv": ["nothere.csv"],
        "--qualifiers qual.csv": ["m0|m1|vertex|row"],
        "--vertex-names nothere": ["nothere"], "--vertex-names names.txt": ["names.txt|6"],
        "--exclude nothere": ["nothere"],
        "--exclude patbad.jsonl": ["patbad", "connected"], "--require patsmarts.jsonl": ["!"],
        "--require a.csv --sizes 1": ["40|require"],
        "--trial 0": ["splits"], "--splits far.json": ["400"], "--splits twice.json": ["2", "twice|two|both"],
        "--splits notrain.json": ["train"],
        "--splits notrials.json": ["trial"], "--splits nokey.json": ["trials"], "--splits cut.json": ["cut.json"],
        "--splits names.json": ["names.json|m1"],
        "--splits negative.json": ["-1"], "--splits part.json --trial 3": ["3"],
        "--splits part.json --trial 0-4": ["0-4|4"], "--splits a.csv": ["a.csv"],
        "--splits part.json --part test": ["part"], "--splits part.json --test 0.2": ["test"],
        "--smiles active": ["active"], "--format sdf": ["sdf|a.csv"],
        "--target nosuch": ["nosuch"], "--target active --target logp": ["1 more target"],
        "--edge-labels maybe": ["maybe"], "--nosuch": ["nosuch"],
        "--class-weight active": ["active", "balanced"], "--task regress --class-weight balanced": ["class"],
        "--interactions 99": ["99", "8"],
    }
    for words in wrong:
        kind = "fine" if wrong[words] == "fine" else "say" if words.endswith("--target logp") else "refuse"
        line = t.replace("--target active ", "") if words.startswith("--target n") else t
        yield Case(f"train a.csv {words}", [] if kind == "fine" else wrong[words], kind,
            line + words + ("" if "--sizes" in words else " --sizes 1"))
    for flag, words in {"-o ''": ["empty|-o|output"], "-o dir": ["dir", "director|folder"], "-o nothere/x": ["nothere"],
        "-o a.csv": ["a.csv"],
                        "-o /dev/full": ["full|space|regular"], "-o -": ["-"], "": ["--output"],
                        "-o x -o y": ["output|-o"]}.items():
        yield Case(f"train a.csv {flag}", words, "refuse",
            f"e train a.csv --target active {FAST} {flag}; s=$?; ls ./- 2>/dev/null; exit $s")


# Models with wrong data, and data with wrong models: what is refused, and the words that say why.
REFUSED = {
    "e predict a.csv m.einsicht": ["a.csv", "model"], "e predict m.einsicht": ["DATA"],
    "e predict m.einsicht other.csv": ["label"],
    "e predict m.einsicht MUTAG": ["label|read|SMILES|molecul"],
    "e predict mutag.einsicht a.csv": ["label|read|names"],
    "e predict m.einsicht m.einsicht": ["model"], "e predict m.einsicht a.csv --at-size 50": ["50", "1"],
    "e predict m.einsicht a.csv --at-size 0": ["0"],
    "e predict m.einsicht a.csv --shard 3/2": ["3/2|3"], "e predict m.einsicht a.csv --shard 0/2": ["0"],
    "e predict m.einsicht a.csv -o dir": ["dir"],
    "e predict m.einsicht a.csv -o a.csv": ["a.csv"], "e predict m.einsicht a.csv -o m.einsicht": ["m.einsicht"],
    "e predict m.einsicht a.csv -o /dev/full": ["space"],
    "e predict m.einsicht - < a.csv": ["--format"],
    "e predict m.einsicht - --format csv < /dev/null": ["empty|no "],
    "e predict m.einsicht onlyheader.csv": ["one graph"],
    "e predict f.einsicht one.sdf": ["logp"], "e predict m.einsicht a.csv --hydrogens keep": ["hydrogens"],
    "e predict m.einsicht a.csv --target nosuch": ["nosuch"],
    "e predict m.einsicht a.csv --splits part.json --part none": ["none"],
    "e predict m.einsicht a.csv --splits far.json --part train": ["400"],
    "e predict f.einsicht a.csv --columns series": ["series", "logp"],
    "e evaluate m.einsicht otherclasses.csv": ["yes|no", "0|1"],
    "e evaluate m.einsicht a.csv --target logp": ["logp", "class"],
    "e evaluate m.einsicht a.csv --target nosuch": ["nosuch"],
    "e evaluate r.einsicht a.csv --target series": ["series|s0"],
    "e evaluate m.einsicht one.smi": ["one.smi"], "e evaluate m.einsicht allnan.csv": ["value|target"],
    "e evaluate m.einsicht a.csv --at-size 7": ["7"],
    "e explain m.einsicht a.csv --graph nosuch": ["nosuch"], "e explain m.einsicht a.csv --graph -1": ["-1"],
    "e explain r.einsicht a.csv --output probability": ["--output", "numbers"],
    "e explain m.einsicht a.csv --method lime --orders 5": ["orders"],
    "e explain m.einsicht a.csv --depth 0 --method tree": ["0"], "e explain m.einsicht a.csv --orders 0": ["0"],
    "e explain m.einsicht a.csv --csv dir": ["dir"], "e report a.csv m.einsicht -o x.html": ["a.csv", "model"],
    "e report m.einsicht r.einsicht a.csv -o x.html": ["target|active|logp"],
    "e report m.einsicht -o x.html": ["DATA"], "e report m.einsicht a.csv -o dir": ["dir"],
    "e report m.einsicht a.csv -o a.csv": ["a.csv"], "e report m.einsicht a.csv -o m.einsicht": ["m.einsicht"],
    "e show a.csv": ["a.csv", "model"], "e show m.einsicht --at-size 9": ["9"],
    "e show nothere": ["nothere"], "e verify m.einsicht bad.csv": ["data|finger|differ|C1CC"],
    "e verify m.einsicht two.csv": ["data|differ|row"], "e verify m.einsicht a.csv --steps 0": ["0"],
    "e verify r.einsicht a.csv --target active": ["WRONG  data set"],
    "e match a.csv pat.jsonl": ["pat.jsonl|pattern"], "e match part.json a.csv": ["part.json"],
    "e match patbad.jsonl a.csv": ["connected"], "e match empty.csv a.csv": ["empty"],
    "e match pat.jsonl a.csv -o pat.jsonl": ["pat.jsonl"], "e mine a.csv --max-edges 99": ["99"],
    "e mine a.csv --min-support 0": ["0"], "e mine a.csv --min-support 41": ["41", "40"],
    "e mine a.csv --top -3": ["-3"],
    "e mine a.csv --closed --maximal": ["closed"], "e mine a.csv --count -o x.jsonl": ["count"],
    "e mine a.csv -o a.csv": ["a.csv"], "e mine a.csv --time-limit 0s": ["0s|time"],
    "e convert a.csv": ["output"], "e convert a.csv -o a.csv": ["a.csv"],
    "e convert ./a.csv -o \"$PWD/a.csv\"": ["a.csv"],
    "ln -sf a.csv link.csv; e convert a.csv -o link.csv": ["link.csv|a.csv"],
    "e convert a.csv -o x.csv": ["x.csv", "jsonl"], "e convert a.csv -o x.sdf.gz": ["x.sdf", "jsonl"],
    "e split a.csv --folds 1 -o x.json": ["1"], "e split a.csv --folds 100 -o x.json": ["100"],
    "e split a.csv --scheme group -o x.json": ["--group"], "e split a.csv --group nosuch -o x.json": ["nosuch"],
    "e split a.csv --scheme cluster --similarity 1.5 -o x.json": ["1.5"],
    "e split a.csv --scheme cluster --similarity nan -o x.json": ["nan"],
    "e split a.csv --repeats 0 -o x.json": ["0"],
    "e split ok.gspan -o x.json": ["2|few"], "e generate square -o x": ["square"],
    "e generate cycle -o a.csv": ["a.csv"], "e generate cycle --variant padded -o x": ["variant|cycle-xor"],
    "e cross-validate two.csv --target active": ["2|two|few"],
    "e cross-validate a.csv --target active --folds 0": ["0"],
    f"e cross-validate a.csv --target active --folds 200 {INNER}": ["200"],
    "e experiment": ["DATA"], "e experiment a.csv --target active --grid gridtypo.json": ["max_edgs", "max_edges"],
    "e experiment a.csv --target active --grid gridempty.json": ["max_edges"],
    "e experiment a.csv --target active --grid gridword.json": ["two"],
    "e experiment a.csv --target active --grid gridscalar.json": ["max_edges|list"],
    "e experiment a.csv --target active --grid gridlist.json": ["object"],
    "e experiment a.csv --target active --grid big": ["big"], "e experiment a.csv --target active --trial 9": ["9"],
    "e experiment a.csv --target active --trial 4-1 --splits part.json": ["4-1"],
    "e experiment --compare m.einsicht r.einsicht": ["m.einsicht"], "e experiment --compare dir dir": ["dir"],
    "e experiment a.csv --compare best worst": ["best"], "e experiment a.csv --markdown": ["compare"],
    "e stability a.csv --target active --bootstrap 0": ["0"], "e completions tcsh": ["tcsh"],
    "e man -o a.csv": ["a.csv"], "e predit m.einsicht a.csv": ["predit", "predict"], "e a.csv": ["a.csv"],
}


def model_cases():
    """Models with wrong data, and data with wrong models."""
    for line, words in REFUSED.items():
        yield Case(line[2:] if line.startswith("e ") else line, words, "refuse", line)
    said = {
        "e explain m.einsicht a.csv --target logp": ["no class of the model"],
        "e show m.einsicht --data MUTAG": ["--data"], "e explain m.einsicht MUTAG": ["labels 0"],
        "e report m.einsicht MUTAG -o x.html": ["labels 0"],
        "e predict m.einsicht bad.csv": ["C1CC|row 3|line 5"], "e match patnone.jsonl a.csv": ["Zz"],
        "e predict m.einsicht big.csv": [],
        "e evaluate m.einsicht nan.csv": ["1|39"],
        "e train a.csv --target active --sizes 500 --max-edges 1 --qualifiers none -o x.einsicht": ["500|fewer|only"],
        "e split a.csv --scheme scaffold -o x.json": [], "e convert nan.csv -o - | head -1": ["einsicht"],
        "e predict m.einsicht a.csv -o - | head -1": ["id"], "e mine a.csv -o - | head -1": ["pattern"],
        "e predict m.einsicht a.csv > /dev/null": [],
        "cat a.csv | e predict m.einsicht - --format csv -o - | wc -l": ["41"],
    }
    for line, words in said.items():
        yield Case(line[2:] if line.startswith("e ") else line, words, "say", line)


def state_cases():
    """Interrupted work continued with something else, and two in one place."""
    start = (f"rm -f y.*; EINSICHT_CHECKPOINT_PASSES=1 EINSICHT_AT_PASS=2:kill e train a.csv --target active "
             f"--threads 1 {FAST} -o y.einsicht; ls y.einsicht.partial >&2 || exit 9; ")
    again = "e train a.csv --target active --resume -o y.einsicht "
    changes = {
        "--max-edges 3": ["max_edges|max-edges"], f"{FAST} --seed 5": ["seed"],
        f"{FAST} --splits part.json": ["split|row|data"],
        f"{FAST} --set trees=7": ["trees"], f"{FAST} --smiles smiles --columns logp": ["logp|data|column"],
    }
    for words, needed in changes.items():
        yield Case(f"resume with {words}", needed, "refuse", start + again + words)
    yield Case("resume with other data", ["data|finger|differ"], "refuse",
        start + again.replace("a.csv", "dots.csv") + FAST)
    yield Case("resume with another target", ["target|data|differ"], "refuse",
        start + again.replace("active", "logp") + FAST)
    yield Case("resume without a checkpoint", ["nothing to resume"], "say", "rm -f y.*; " + again + FAST)
    yield Case("resume an empty checkpoint", ["y.einsicht.partial"], "refuse",
        "rm -f y.*; : > y.einsicht.partial; " + again + FAST)
    yield Case("resume a model as a checkpoint", ["y.einsicht.partial"], "refuse",
        "rm -f y.*; cp m.einsicht y.einsicht.partial; " + again + FAST)
    run = f"e -q experiment a.csv --target active --grid grid.json -o exp {INNER.replace('--max-edges 2', '')}"
    yield Case("experiment into a folder with results", [], "fine",
        f"rm -rf exp; {run} --splits part.json >/dev/null; {run} --splits part.json")
    yield Case("experiment resumed with another grid", ["max_edges|grid|param"], "refuse",
               f"rm -rf exp; {run} --splits part.json >/dev/null; "
                f"{run.replace('grid.json', 'quick')} --splits part.json --resume")
    yield Case("experiment resumed with other data", ["data|differ"], "refuse",
               f"rm -rf exp; {run} --splits part.json >/dev/null; "
                f"{run.replace('a.csv', 'dots.csv')} --splits part.json --resume")


def cases(folder):
    write_sets(folder)
    write_models(folder)
    return [*read_cases(), *option_cases(), *model_cases(), *state_cases()]
