"""`einsicht export --to rdkit-python`: the file predicts as `einsicht predict` does, with RDKit and numpy alone."""

import csv
import json
import subprocess
import sys

import pytest
from program import PROGRAM, ROOT, einsicht

pytest.importorskip("rdkit", reason="needs rdkit (pip install rdkit)")

ESOL, TOX = ROOT / "testdata/sets/esol_220.csv", ROOT / "testdata/sets/tox21_ahr_200.csv"
BOTH = ["--target", "log_solubility", "--target", "weight"]
FOLDS = ["--max-edges", "4", "--folds", "2"]
SMALL = [*FOLDS, "--sizes", "2,12", "--set", "trees=20"]

#: Charges, halogens, salts, isotopes, hydrogens that stay atoms, rings of both kinds; three classes.
VARIED = """
C[N+](C)(C)CCCl [O-][N+](=O)c1ccc(F)cc1 Brc1ccc(I)nc1 C1CC2CCC1C2 c1ccc2[nH]ccc2c1 [Na+].[I-] [Cl-].[Cl-].[Mg+2]
ClC(Cl)(Cl)Br O=S(=O)(O)c1ccccc1 FC1CCCCC1 C1=CC=CC=C1C2CC2 [2H]C([2H])([2H])O [H]OCC NCC(=O)[O-] [NH4+].[Br-]
c1cc[n+]([O-])cc1 CC#N OB(O)c1ccccc1 C[Si](C)(C)C N1CCOCC1 C1CCC2(CC1)OCCO2 [O-]Cl(=O)(=O)=O OI(=O)=O [H]C([H])=O
FS(F)(F)(F)(F)F CC(C)(C)c1ccccc1 [C-]#[O+] C[P+](c1ccccc1)(c1ccccc1)c1ccccc1 CCCCCCCCCC CC(=O)Nc1ccc(O)cc1
""".split()

#: Runs a file as a module in which nobody can import einsicht.
RUN = """
import json, runpy, sys
sys.modules["einsicht"] = None
path, smiles = json.load(sys.stdin)
found = runpy.run_path(path)["predict"](smiles)
tidy = {name: {key: values.tolist() for key, values in task.items()} for name, task in found.items()}
print(json.dumps(tidy))
"""

CASES = {
    "a number": (ESOL, ["--target", "log_solubility", *SMALL]),
    "two numbers": (ESOL, [*BOTH, *SMALL]),
    "classes": (TOX, ["--target", "toxic", *SMALL]),
    "a forest with a threshold": (
        TOX,
        ["--target", "toxic", *SMALL, "--head", "forest", "--set", "threshold=auto", "--set", "calibrate=on"],
    ),
    "presences": (TOX, ["--target", "toxic", *SMALL, "--feature", "presence"]),
    "minimum images": (TOX, ["--target", "toxic", *SMALL, "--feature", "mni"]),
    "a network": (TOX, ["--target", "toxic", "--preset", "ein", "--sizes", "1,6", "--max-edges", "3"]),
    "large": (TOX, ["--target", "toxic", "--max-edges", "8", "--sizes", "40", "--folds", "2"]),
    "three classes": (None, ["--target", "y", *SMALL]),
    "three classes of kept hydrogens": (None, ["--target", "y", *SMALL, "--hydrogens", "keep"]),
    "bonds ignored": (TOX, ["--target", "toxic", *SMALL, "--edge-labels", "ignore"]),
}


def program(*words):
    done = subprocess.run([*PROGRAM, *map(str, words), "-q"], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done


def varied(folder):
    path = folder / "varied.csv"
    words = ["low", "medium", "high"]
    rows = [[smiles, words[(len(smiles) + at) % 3]] for at, smiles in enumerate(VARIED * 2)]
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([["smiles", "y"], *rows])
    return path


def run_alone(exported, smiles):
    command = [sys.executable, "-I", "-c", RUN]
    done = subprocess.run(command, input=json.dumps([str(exported), smiles]), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def compare(found, predictions):
    """Each prediction of the program with that of the file."""
    for row, said in enumerate(predictions):
        assert said["row"] == row
        for name, task in found.items():
            of_task = said["targets"][name] if "targets" in said else said
            if "value" in of_task:
                assert task["value"][row] == pytest.approx(of_task["value"], rel=1e-9, abs=1e-9)
            else:
                assert task["class"][row] == of_task["class"]
                chances = list(of_task["probabilities"].values())
                assert task["probabilities"][row] == pytest.approx(chances, rel=0, abs=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_the_file_predicts_as_the_program(name, tmp_path):
    data, options = CASES[name]
    data = data or varied(tmp_path)
    model, exported = tmp_path / "m.einsicht", tmp_path / "m.py"
    program("train", data, *options, "-o", model)
    program("export", model, "--to", "rdkit-python", "-o", exported)
    # Graphs of the training, and molecules with labels that it may not have seen.
    for table in [data, varied(tmp_path)]:
        with open(table, newline="") as file:
            smiles = [row["smiles"] for row in csv.DictReader(file)]
        compare(run_alone(exported, smiles), einsicht("predict", model, table)["predictions"])


def test_pairs_are_in_the_file(tmp_path):
    """Active with nitrogen or chlorine, but not with both: no single subgraph tells."""
    data, model, exported = tmp_path / "pairs.csv", tmp_path / "m.einsicht", tmp_path / "m.py"
    ends = [("", "", 0), ("N", "", 1), ("", "Cl", 1), ("N", "Cl", 0)]
    molecules = [(first + "C" * length + last, y) for length in range(2, 14) for first, last, y in ends]
    data.write_text("smiles,y\n" + "".join(f"{smiles},{y}\n" for smiles, y in molecules))
    options = [*FOLDS, "--head", "linear", "--sizes", "2,4", "--interactions", "2"]
    program("train", data, "--target", "y", *options, "-o", model)
    program("export", model, "--to", "rdkit-python", "-o", exported)
    assert '"pairs": [[[' in exported.read_text()
    compare(run_alone(exported, [smiles for smiles, _ in molecules]), einsicht("predict", model, data)["predictions"])


def test_the_file_is_a_program_too_and_leaves_no_row_out(tmp_path):
    model, exported, table = tmp_path / "m.einsicht", tmp_path / "m.py", tmp_path / "new.csv"
    program("train", TOX, "--target", "toxic", *SMALL, "-o", model)
    program("export", model, "--to", "rdkit-python", "-o", exported)
    table.write_text("smiles\nCCO\nno molecule\nc1ccccc1\n")
    done = subprocess.run([sys.executable, "-I", exported, table], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = list(csv.reader(done.stdout.splitlines()))
    assert rows[0] == ["smiles", "toxic", "P(toxic=0)", "P(toxic=1)"]
    assert [row[0] for row in rows[1:]] == ["CCO", "no molecule", "c1ccccc1"] and rows[2][1:] == ["", "", ""]
    assert run_alone(exported, ["nope"])["toxic"]["class"] == [None]
    assert run_alone(exported, [])["toxic"]["class"] == []
