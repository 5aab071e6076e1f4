#!/usr/bin/env python3
"""A common baseline: a random forest on Morgan fingerprints, on the same splits as `cargo lab results`.

    python lab/scripts/morgan_forest.py DATA.csv TARGET SPLITS.json [--trials 10]

Needs rdkit and scikit-learn. Prints the test metric of every trial (root of the mean squared error for numbers,
accuracy in percent for classes) and their mean. The forest sees the training part only, or with --refit the validation
part too.
"""

import argparse
import csv
import json
import statistics

import numpy as np
from rdkit import Chem, RDLogger
from rdkit.Chem import rdFingerprintGenerator
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data")
    parser.add_argument("target")
    parser.add_argument("splits")
    parser.add_argument("--smiles", default="smiles")
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--refit", action="store_true", help="learn from the validation part too")
    options = parser.parse_args()
    RDLogger.DisableLog("rdApp.*")
    with open(options.data, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    generator = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)
    molecules = [Chem.MolFromSmiles(row[options.smiles]) for row in rows]
    prints = [None if m is None else generator.GetFingerprintAsNumPy(m) for m in molecules]
    texts = [row[options.target] for row in rows]
    is_number = len({t for t in texts if t}) > 20
    with open(options.splits, encoding="utf-8") as file:
        trials = json.load(file)["trials"][: options.trials]
    results = []
    for seed, trial in enumerate(trials):

        def part(*names):
            kept = [i for name in names for i in trial[name] if prints[i] is not None and texts[i]]
            values = [float(texts[i]) if is_number else texts[i] for i in kept]
            return np.array([prints[i] for i in kept]), np.array(values)

        x, y = part("train", "valid") if options.refit else part("train")
        forest = (RandomForestRegressor if is_number else RandomForestClassifier)(500, random_state=seed)
        forest.fit(x, y)
        x, y = part("test")
        predicted = forest.predict(x)
        results.append(float(np.sqrt(np.mean((predicted - y) ** 2)) if is_number else 100 * np.mean(predicted == y)))
        print(f"trial {seed}: {results[-1]:.4f}")
    error = statistics.stdev(results) / len(results) ** 0.5 if len(results) > 1 else 0.0
    print(f"{'rmse' if is_number else 'accuracy'} {statistics.mean(results):.4f} (standard error {error:.4f})")


if __name__ == "__main__":
    main()
