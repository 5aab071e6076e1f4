# Exported from an einsicht model: predicts with RDKit and numpy alone.
"""Predictions of an einsicht model for molecules, the same as those of `einsicht predict`.

As a module:     predict(["CCO", "c1ccccc1"])
As a program:    python THIS_FILE molecules.csv -o predictions.csv

A SMILES that RDKit cannot read has no prediction: no class, and NaN for numbers.
"""

import argparse
import csv
import sys

import numpy as np
from rdkit import Chem

#: Molecules that are predicted together.
BATCH = 256
#: More matches than a count can need; RDKit stops at 1000 unless it is told.
MOST_MATCHES = 100_000_000
#: Larger counts are replaced by this one.
LARGEST_COUNT = 65535


def predict(list_of_smiles):
    """For each target of classes its "class" and "probabilities" (one column per class), else its "value"."""
    smiles = list(list_of_smiles)
    parts = [_predict(smiles[at : at + BATCH]) for at in range(0, len(smiles), BATCH)] or [_predict([])]
    joined = {}
    for task in TASKS:
        of_task = [part[task["name"]] for part in parts]
        joined[task["name"]] = {key: np.concatenate([part[key] for part in of_task]) for key in of_task[0]}
    return joined


def numbers(text):
    return np.array(text.split(), dtype=float)


def _predict(smiles):
    molecules = [read(text) for text in smiles]
    known = [at for at, molecule in enumerate(molecules) if molecule is not None]
    table = np.array([values(molecules[at]) for at in known], dtype=float).reshape(len(known), len(SUBGRAPHS))
    with np.errstate(divide="ignore"):
        cells = outputs(table)
    found = {}
    for task, cell in zip(TASKS, of_tasks(cells)):
        cell = cell / task["temperature"]
        if task["classes"] is None:
            value = np.full(len(smiles), np.nan)
            value[known] = cell[:, 0] * task["scale"] + task["mean"]
            found[task["name"]] = {"value": value}
            continue
        chances = probabilities(cell)
        if task["threshold"] is None:
            best = chances.argmax(axis=1)
        else:
            best = (chances[:, 1] >= task["threshold"]).astype(int)
        classes = np.full(len(smiles), None, dtype=object)
        classes[known] = np.array(task["classes"], dtype=object)[best]
        of_all = np.full((len(smiles), len(task["classes"])), np.nan)
        of_all[known] = chances
        found[task["name"]] = {"class": classes, "probabilities": of_all}
    return found


def read(smiles):
    """The molecule of a SMILES, or None."""
    params = Chem.SmilesParserParams()
    params.removeHs = not KEEPS_HYDROGENS
    molecule = Chem.MolFromSmiles(smiles, params)
    return molecule if molecule is not None and molecule.GetNumAtoms() > 0 else None


def values(molecule):
    """What the model reads of a molecule: a number for each subgraph."""
    if VALUE_OF_COUNT is None:
        return [float(molecule.HasSubstructMatch(query)) for query, _ in QUERIES]
    counts = [count(molecule, query, groups) for query, groups in QUERIES]
    return VALUE_OF_COUNT(np.minimum(counts, LARGEST_COUNT).astype(float))


def count(molecule, query, groups):
    """Copies of a subgraph: the least, over groups of equal atoms, of their images by the images of one copy."""
    if not molecule.HasSubstructMatch(query):
        return 0
    matches = molecule.GetSubstructMatches(query, uniquify=False, maxMatches=MOST_MATCHES)
    if len(matches) >= MOST_MATCHES:
        raise ValueError(f"a subgraph must match less than {MOST_MATCHES} times, but a molecule has more matches")
    images = [len({match[atom] for match in matches for atom in atoms}) for _, atoms in groups]
    return min(-(-found // divisor) for found, (divisor, _) in zip(images, groups))


def outputs(table):
    """Outputs of the model for rows of values: logits, and standardised numbers."""
    if NETWORK is not None:
        return network_outputs(table)
    linear = None if LINEAR is None else linear_outputs(table)
    forest = np.hstack([forest_outputs(*part, table) for part in zip(TASKS, FORESTS)]) if FORESTS else None
    if FOREST_WEIGHT is None:
        return forest if linear is None else linear
    # A part of weight 0 is not in this file.
    linear, forest = (forest if linear is None else linear), (linear if forest is None else forest)
    blended = []
    for task, a, b in zip(TASKS, of_tasks(linear), of_tasks(forest)):
        if task["classes"] is None:
            blended.append((1 - FOREST_WEIGHT) * a + FOREST_WEIGHT * b)
        else:
            mean = (1 - FOREST_WEIGHT) * probabilities(a) + FOREST_WEIGHT * probabilities(b)
            blended.append(logits(mean))
    return np.hstack(blended)


def linear_outputs(table):
    present = table > 0
    columns = [table]
    for (first, second), means in LINEAR["pairs"]:
        columns.append(((present[:, first] - means[0]) * (present[:, second] - means[1]))[:, None])
    terms = np.hstack(columns)
    weights = LINEAR["weights"].reshape(len(LINEAR["offsets"]), terms.shape[1])
    return terms @ weights.T + LINEAR["offsets"]


def forest_outputs(task, forest, table):
    columns, nexts = forest["columns"].astype(int), forest["nexts"].astype(int)
    at = np.tile(forest["roots"].astype(int), (len(table), 1))
    while (columns[at] >= 0).any():
        is_split = columns[at] >= 0
        here = np.take_along_axis(table, np.maximum(columns[at], 0), axis=1)
        child = np.where(here <= forest["thresholds"][at], at + 1, nexts[at])
        at = np.where(is_split, child, at)
    width = forest["width"]
    mean = forest["answers"].reshape(-1, width)[nexts[at]].mean(axis=1)
    if task["classes"] is None:
        return mean
    share = forest["per_frequency"]
    return logits(mean * share + (1 - share) / width)


def network_outputs(table):
    widths, rest = NETWORK["widths"], NETWORK["parameters"]
    sums = table @ NETWORK["weights"].reshape(len(SUBGRAPHS), widths[0]) + NETWORK["bias"]
    activations = {"sigmoid": sigmoid, "tanh": np.tanh, "relu": relu, "identity": np.asarray}
    layer = activations[NETWORK["activation"]](sums)
    for at, (before, here) in enumerate(zip(widths, widths[1:])):
        weights, offsets, rest = np.split(rest, [before * here, before * here + here])
        layer = (relu(layer) if at > 0 else layer) @ weights.reshape(here, before).T + offsets
    return layer


def relu(x):
    return np.maximum(x, 0)


def sigmoid(x):
    tail = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + tail), tail / (1 + tail))


def probabilities(cell):
    """Probabilities of classes from the outputs of a task: one logit for two classes, else one per class."""
    if cell.shape[1] == 1:
        second = sigmoid(cell)
        return np.hstack([1 - second, second])
    parts = np.exp(cell - cell.max(axis=1, keepdims=True))
    return parts / parts.sum(axis=1, keepdims=True)


def logits(chances):
    logs = np.log(chances)
    return logs[:, 1:] - logs[:, :1] if chances.shape[1] == 2 else logs


def of_tasks(cells):
    """The columns of each task."""
    widths = [1 if task["classes"] is None or len(task["classes"]) == 2 else len(task["classes"]) for task in TASKS]
    return np.split(cells, np.cumsum(widths)[:-1], axis=1)


def main():
    parser = argparse.ArgumentParser(description="Predict molecules.")
    parser.add_argument("molecules", help="a CSV with a column of SMILES; any other file has one SMILES per line")
    parser.add_argument("--smiles", default="smiles", metavar="COLUMN", help="the column of SMILES [smiles]")
    parser.add_argument("-o", "--output", metavar="CSV", help="table of predictions [stdout]")
    words = parser.parse_args()
    with open(words.molecules, newline="", encoding="utf-8-sig") as file:
        if words.molecules.endswith(".csv"):
            rows = csv.DictReader(file)
            if words.smiles not in (rows.fieldnames or []):
                parser.error(f"{words.molecules} must have the column {words.smiles}: name another with --smiles")
            smiles = [row[words.smiles] or "" for row in rows]
        else:
            smiles = [line.split()[0] for line in file if line.strip()]
    found = predict(smiles)
    columns = {"smiles": smiles}
    for task in TASKS:
        name, of_task = task["name"], found[task["name"]]
        if task["classes"] is None:
            columns[name] = ["" if np.isnan(value) else repr(float(value)) for value in of_task["value"]]
            continue
        columns[name] = ["" if known is None else known for known in of_task["class"]]
        for at, known in enumerate(task["classes"]):
            chances = of_task["probabilities"][:, at]
            columns[f"P({name}={known})"] = ["" if np.isnan(chance) else repr(float(chance)) for chance in chances]
    file = open(words.output, "w", newline="", encoding="utf-8") if words.output else sys.stdout
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values()))
    if words.output:
        file.close()


# MODEL

QUERIES = [(Chem.MolFromSmarts(smarts), groups) for smarts, groups in SUBGRAPHS]

if __name__ == "__main__":
    main()
