"""`GraphSet`: every way in gives the same graphs, slices and pickles keep them, bad input is named."""

import pickle
import warnings

import numpy as np
import pytest
from program import ROOT, SMILES, shared

import einsicht as es

MUTAG = ROOT / "testdata/sets/MUTAG"


@pytest.fixture(scope="module")
def mutag():
    return es.GraphSet.from_tu(MUTAG)


def test_a_set_is_a_sequence_that_slices_without_copies_and_has_no_shape(mutag):
    assert len(mutag) == 188 and len(mutag[3:10]) == 7 and not hasattr(mutag, "shape")
    assert mutag[-1] == mutag[187] and mutag[[0, 5, 5]][2] == mutag[5]
    assert mutag[np.arange(188) < 2] == mutag[:2]
    assert [len(graph) for graph in mutag[:2]] == [17, 13]
    assert mutag[1:3].y.tolist() == mutag.y[1:3].tolist()
    for bad, error in [
        (188, IndexError),
        ([1, 188], IndexError),
        ("x", TypeError),
        ([0.5], TypeError),
        ([True], IndexError),
    ]:
        with pytest.raises(error):
            mutag[bad]


def test_equal_content_is_equal_wherever_it_comes_from(mutag):
    again = pickle.loads(pickle.dumps(mutag[4:9]))
    assert again == mutag[4:9] and hash(again) == hash(mutag[4:9]) and again.ids == mutag[4:9].ids
    assert again != mutag[5:10] and again != 3
    graphs = es.GraphSet.from_smiles(SMILES)
    assert graphs[3:6] == es.GraphSet.from_smiles(SMILES[3:6])
    assert graphs[:3] + graphs[3:] == graphs
    assert graphs[:2] + mutag[:2] != graphs[:4]
    assert pickle.loads(pickle.dumps(mutag[3])) == mutag[3]


def test_lists_of_edges_and_networkx_give_the_same_graphs(mutag):
    networkx = pytest.importorskip("networkx")
    there = mutag.to_networkx()
    assert isinstance(there[0], networkx.Graph)
    assert es.GraphSet.from_networkx(there) == mutag
    by_hand = es.GraphSet.from_edges(
        [[edge[:2] for edge in graph.edges] for graph in mutag],
        [graph.vertices for graph in mutag],
        [[edge[2] for edge in graph.edges] for graph in mutag],
    )
    assert by_hand == mutag
    plain = es.GraphSet.from_edges([np.array([[0, 1], [1, 2]])])
    assert plain[0].vertices == ["*", "*", "*"]
    numbers = es.GraphSet.from_edges([[(0, 1)]], [[6, np.int64(8)]])
    assert numbers[0].vertices == ["6", "8"]


def test_molecules_are_the_same_from_smiles_rdkit_and_networkx():
    Chem = pytest.importorskip("rdkit.Chem", reason="needs rdkit (pip install rdkit)")
    pandas = pytest.importorskip("pandas")
    table = pandas.read_csv(shared("data/molnet/bace.csv"))
    smiles = table["mol"].tolist()
    ours = es.GraphSet.from_smiles(smiles)
    assert len(ours) == 1513
    assert es.GraphSet.from_smiles(smiles, backend="rdkit") == ours
    assert es.GraphSet.from_rdkit([Chem.MolFromSmiles(text) for text in smiles]) == ours
    assert es.GraphSet.from_networkx(ours.to_networkx()) == ours
    full = ["charge", "aromatic", "hydrogens"]
    labelled = es.GraphSet.from_smiles(smiles[:200], molecule_labels=full)
    assert es.GraphSet.from_smiles(smiles[:200], backend="rdkit", molecule_labels=full) == labelled != ours[:200]
    frame = es.GraphSet.from_dataframe(table, smiles="mol", target="Class")
    assert frame == ours and frame.target_names == ["Class"] and frame.y.tolist() == table["Class"].tolist()


def test_kekulized_molecules_get_their_aromaticity_back():
    Chem = pytest.importorskip("rdkit.Chem", reason="needs rdkit (pip install rdkit)")
    smiles = ["c1ccccc1O", "c1ccc2[nH]ccc2c1", "C1=CCCCC1", "O=C1C=CC=CN1", "CC=O", "c1ccsc1.C=C"]
    plain = [Chem.MolFromSmiles(text) for text in smiles]
    for clear in (True, False):
        others = [Chem.Mol(molecule) for molecule in plain]
        for molecule in others:
            Chem.Kekulize(molecule, clearAromaticFlags=clear)
        for options in ({}, {"molecule_labels": ["aromatic"]}):
            assert es.GraphSet.from_rdkit(others, **options) == es.GraphSet.from_smiles(smiles, **options)
        assert all(bond.GetBondType() != Chem.BondType.AROMATIC for one in others for bond in one.GetBonds())


def test_what_rdkit_throws_is_a_bad_row():
    Chem = pytest.importorskip("rdkit.Chem", reason="needs rdkit (pip install rdkit)")
    molecules = [Chem.MolFromSmiles("CCO"), Chem.MolFromSmiles("CCN", sanitize=False), None]
    with pytest.raises(
        ValueError, match=r"molecule 1: must be sanitized, but RDKit says .* Chem.SanitizeMol\(molecule\) does it"
    ):
        es.GraphSet.from_rdkit(molecules)
    graphs = es.GraphSet.from_rdkit(molecules, on_bad="nan")
    assert graphs.missing.tolist() == [False, True, True] and "must be sanitized" in graphs.skipped[1]
    assert es.GraphSet.from_rdkit(molecules, on_bad="skip").source_rows.tolist() == [0]


def test_a_graph_is_equal_whatever_the_order_of_its_edges():
    one, other, third = (
        es.GraphSet.from_edges([edges], [["C", "N", "O"]])
        for edges in ([(0, 1), (1, 2)], [(2, 1), (0, 1)], [(0, 1), (0, 2)])
    )
    assert one == other and one[0] == other[0] and hash(one[0]) == hash(other[0])
    assert one != third and one[0] != third[0] and one[0] != 3
    # Attributes count, as in the sets.
    colours = [
        es.GraphSet.from_edges([[(0, 1)]], vertex_properties={"colour": [[word, None]]}) for word in ("red", "blue")
    ]
    assert colours[0] != colours[1] and colours[0][0] != colours[1][0]


def test_weights_of_bonds_find_their_bonds_in_rdkit_by_their_atoms():
    Chem = pytest.importorskip("rdkit.Chem", reason="needs rdkit (pip install rdkit)")
    smiles = ["c1ccccc1CO", "OC1CCC1", "c1ccc2ccccc2c1N", "CCN", "c1ccncc1O", "NC1CC1"] * 4
    y = ["O" in text for text in smiles]
    model = es.EINClassifier(max_edges=2, sizes=(3,), threads=1).fit(smiles, y)
    molecules = [Chem.MolFromSmiles(text) for text in smiles[:6]]
    ours, theirs = model.explain(es.GraphSet.from_smiles(smiles[:6])), model.explain(es.GraphSet.from_rdkit(molecules))
    for i, molecule in enumerate(molecules):
        weights = np.zeros(molecule.GetNumBonds())
        for (u, v, _), weight in zip(ours.graphs[i].edges, ours.bond_weights(i), strict=True):
            weights[molecule.GetBondBetweenAtoms(u, v).GetIdx()] = weight
        assert np.allclose(weights, theirs.bond_weights(i), atol=1e-12)


def test_the_tu_reader_of_pytorch_geometric_gives_the_same_graphs(tmp_path):
    pytest.importorskip("torch_geometric", reason="needs torch (cargo xtask test --torch)")
    from torch_geometric.data import Data
    from torch_geometric.io import read_tu_data

    folder = shared("data/tu/BZR")
    ours = es.GraphSet.from_tu(folder)
    data, slices, sizes = read_tu_data(str(folder), "BZR")
    ends = slices["x"].tolist()
    first, labels = sizes["num_node_attributes"], sizes["num_node_labels"]
    graphs = []
    for at in range(len(ends) - 1):
        edges = slice(*slices["edge_index"][at : at + 2].tolist())
        index = data.edge_index[:, edges]
        graphs.append(Data(x=data.x[ends[at] : ends[at + 1]], edge_index=index))
    columns = {"vertex_labels": range(first, first + labels), "attributes": list(range(first))}
    theirs = es.GraphSet.from_pyg(graphs, **columns)
    assert len(theirs) == 405 and theirs.fingerprint == _named_by_rank(ours).fingerprint


def _named_by_rank(graphs):
    """Labels counted from the smallest, as PyTorch Geometric counts them, and numbers in its single precision."""
    least = min(int(label) for label in graphs.vertex_labels)
    from einsicht import _core

    words = [([str(int(label) - least) for label in graph.vertices], graph.edges) for graph in graphs]
    numbers = [graph.attributes.astype(np.float32).astype(float).ravel().tolist() for graph in graphs]
    return es.GraphSet(_core.Graphs.build("x", words, (graphs[0].attributes.shape[1], numbers), {}))


def test_files_of_all_kinds_are_read(tmp_path):
    assert len(es.GraphSet.from_gspan(ROOT / "testdata/sets/cpdb_100.gspan")) == 100
    Chem = pytest.importorskip("rdkit.Chem", reason="needs rdkit (pip install rdkit)")
    path = tmp_path / "x.sdf"
    with Chem.SDWriter(str(path)) as writer:
        for text in SMILES[:5]:
            writer.write(Chem.MolFromSmiles(text))
    assert es.GraphSet.from_sdf(path) == es.GraphSet.from_smiles(SMILES[:5])


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: es.GraphSet.from_smiles(["CC", "C1CC"]), ValueError, ["row 1", "C1CC"]),
        (lambda: es.GraphSet.from_smiles(["CC", None]), TypeError, ["index 1", "None"]),
        (lambda: es.GraphSet.from_smiles([]), ValueError, []),
        (lambda: es.GraphSet.from_smiles(["C"], backend="x"), ValueError, ["backend"]),
        (lambda: es.GraphSet.from_edges([[(0, 1)], [(0, 0)]]), ValueError, ["graph 1"]),
        (lambda: es.GraphSet.from_edges([[(0, 1)], [(0, 5)]], [["a", "b"], ["a"]]), ValueError, ["graph 1"]),
        (lambda: es.GraphSet.from_edges([[(0, 1.5)]]), TypeError, ["graph 0"]),
        (lambda: es.GraphSet.from_edges([[(-1, 0)]]), ValueError, ["graph 0"]),
        (lambda: es.GraphSet.from_edges([[(0, 1)]], [["a", "b"], ["c"]]), ValueError, ["vertex_labels"]),
        (lambda: es.GraphSet.from_tu("no/such/folder"), (OSError, ValueError), ["no/such/folder"]),
        (lambda: es.GraphSet.from_smiles(["C"], on_bad="perhaps"), ValueError, ["stop, skip"]),
        (lambda: es.GraphSet.from_smiles(["C"], hydrogen="drop"), TypeError, ["hydrogen"]),
        (lambda: es.GraphSet([1]), TypeError, ["from_smiles"]),
        (lambda: es.GraphSet.from_networkx([3]), TypeError, ["index 0"]),
        (lambda: es.GraphSet.from_rdkit([None]), TypeError, ["index 0", "None"]),
    ],
)
def test_bad_input_names_what_is_wrong(make, error, words):
    with pytest.raises(error) as raised:
        make()
    assert all(word in str(raised.value) for word in words), str(raised.value)


def test_skipped_rows_are_reported():
    graphs = es.GraphSet.from_smiles(["CC", "C1CC", "O"], on_bad="skip")
    assert len(graphs) == 2 and list(graphs.skipped) == [1] and graphs.source_rows.tolist() == [0, 2]


def test_a_set_shows_itself(mutag):
    assert repr(mutag[:2]) == "GraphSet(2 graphs, 30 vertices, 33 edges)"
    page = es.GraphSet.from_smiles(["CCO", "c1ccccc1"])._repr_html_()
    assert page.count("<svg") == 2 and "2 graphs" in page
    hostile = es.GraphSet.from_edges([[(0, 1)]], [["<script>", "b"]])
    assert "<script>" not in hostile._repr_html_()


def test_coordinates_are_left_out_of_what_models_read_unless_asked(tmp_path):
    rng = np.random.default_rng(0)
    graphs, size = 16, 9
    lines = {
        "A": [],
        "graph_indicator": [],
        "graph_labels": [str(at % 2) for at in range(graphs)],
        "node_attributes": [],
    }
    for graph in range(graphs):
        steps = rng.normal(size=(size, 3))
        places = np.cumsum(1.5 * steps / np.linalg.norm(steps, axis=1, keepdims=True), axis=0)
        lines["node_attributes"] += [", ".join(f"{x:.4f}" for x in place) for place in places]
        lines["graph_indicator"] += [str(graph + 1)] * size
        for at in range(graph * size + 1, graph * size + size):
            lines["A"] += [f"{at}, {at + 1}", f"{at + 1}, {at}"]
    for name, rows in lines.items():
        (tmp_path / f"set_{name}.txt").write_text("\n".join(rows) + "\n")
    y = [0, 1] * (graphs // 2)
    quick = {"max_edges": 2, "sizes": (1,), "threads": 1}
    kept_set = es.GraphSet.read(tmp_path, coordinates="keep")
    left_out = es.EINClassifier(**quick).fit(es.GraphSet.read(tmp_path), y)
    kept = es.EINClassifier(**quick).fit(kept_set, y)
    # All chains are equal but for their places; a model remembers what it reads, whatever the set says.
    assert len(np.unique(left_out.predict_proba(kept_set)[:, 0])) == 1
    assert len(np.unique(kept.predict_proba(kept_set)[:, 0])) > 1
    again = es.EINClassifier(**quick).fit(pickle.loads(pickle.dumps(kept_set)), y)
    assert (again.predict_proba(kept_set) == kept.predict_proba(kept_set)).all()


def test_tables_say_what_is_wrong_with_them_and_what_was_decided(tmp_path):
    def table(text):
        path = tmp_path / "table.csv"
        path.write_text(text)
        return path

    with pytest.warns(
        UserWarning,
        match='target y is taken as classes, .* 3 different whole numbers from 4 to 9; task="regress" reads them',
    ):
        es.GraphSet.read(table("smiles,y\nC,4\nCC,5\nCCC,9\nO,4\nCO,5\nCCO,9\n"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        es.GraphSet.read(table("smiles,y\nC,4\nCC,5\nCCC,9\n"), task="regress")
    for text, wanted in [
        ('smiles,y\nC,1\nCC,"0\nO,1\n', "table.csv:3: a cell that starts with a quote"),
        ("smiles,y,y\nC,1,0\nCC,0,1\n", 'must have a unique name, but 2 columns are named "y"'),
        ("smiles,y\nC,10%\nCC,20%\n", 'table.csv:2: target "y" looks like numbers, .* "10%"; task="classify" takes'),
    ]:
        with pytest.raises(ValueError, match=wanted):
            es.GraphSet.read(table(text), target="y")
