"""Mistakes in Python; `mistakes.py` runs them, each in a process of its own that is forked after the imports."""

import os
import pathlib
import re
import select
import signal
import time
import traceback
import warnings

from mistakes import Case, Outcome

# What a user of scikit-learn expects of wrong arguments. Anything else that rises in the package is a bug of ours.
REFUSALS = (ValueError, TypeError, OSError, ImportError, IndexError)

SETUP = """
import copy, pickle, io, numpy as np, pandas as pd, networkx as nx, einsicht as es
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score, StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
S = ["CCO", "CCN", "CCC", "CCCl", "CC=O", "CCBr", "CCCO", "CCCN", "CC(C)O", "CC(C)N", "c1ccccc1O", "c1ccccc1N",
     "c1ccccc1", "CC(=O)O", "CCOCC", "CCSCC"] * 2
y = np.array([int("O" in s) for s in S]); v = np.array([len(s) * 0.5 + i * 0.1 for i, s in enumerate(S)])
F = dict(sizes=(1, 2), max_edges=2, folds=2, qualifiers="none", threads=1)
def clf(**k): return es.EINClassifier(**{**F, **k})
def reg(**k): return es.EINRegressor(**{**F, **k})
def fitted(): return clf().fit(S, y)
def G(): return es.GraphSet.from_smiles(S)
def nxg(*labels, **kw):
    g = nx.path_graph(len(labels)); nx.set_node_attributes(g, dict(enumerate(labels)), "label"); return g
"""

# name or code: words that the message must hold
REFUSED = {
    "clf().fit('CCO', [1])": ["str|list"], "clf().fit([], [])": ["empty|no graph|at least"],
    "clf().fit(S, y[:-1])": ["31", "32"],
    "clf().fit(S)": ["y"], "clf().fit(S, None)": ["y"], "clf().fit(S, [1] * 32)": ["class"],
    "clf().fit(S, v)": ["class|continuous|number|EINRegressor"],
    "clf().fit(S, y.reshape(-1, 1, 1))": ["dimension|shape|3"], "clf().fit(S, 'active')": ["y|str"],
    "clf().fit(S, [[0, 1]] * 31)": ["31", "32"],
    "clf().fit(S, [None] * 32)": ["value|missing"], "clf().fit(S, [np.nan] * 32)": ["value|missing|NaN"],
    "reg().fit(S, ['a'] * 32)": ["number", "a"],
    "reg().fit(S, y > 5)": ["same|one number|constant|differ|class"],
    "reg().fit(S, [np.inf] + list(v[1:]))": ["inf|finite"], "reg().fit(S, [1.0] * 32)": ["1|same|constant"],
    "reg().fit(S, v + 1j)": ["complex"], "reg().fit(S, [1e308, -1e308] * 16)": ["large|1e308|range"],
    "clf().fit(S, [[0], [1, 0]] * 16)": ["y|shape|length|rag"],
    "clf().fit(S, [{}] * 32)": ["class|dict|y"], "clf().fit([['CCO']] * 32, y)": ["list|row"],
    "clf().fit(np.zeros((32, 5)), y)": ["GraphSet|SMILES|graphs"],
    "clf().fit(pd.DataFrame({'smiles': S, 'x': v}), y)": ["DataFrame|from_dataframe|column"],
    "clf().fit(S[:-1] + ['C1CC'], y)": ["C1CC", "31"],
    "clf().fit(S[:-1] + [None], y)": ["31", "None"], "clf().fit(S[:-1] + [np.nan], y)": ["31", "float"],
    "clf().fit(S[:-1] + [''], y)": ["31"], "clf().fit(S[:-1] + [5], y)": ["31", "int|5"],
    "clf().fit(S[:-1] + ['aspirin'], y)": ["aspirin"], "clf().fit(S[:-1] + [b'CCO'], y)": ["31", "bytes"],
    "clf().fit(S[:-1] + [nxg('C', 'O')], y)": ["31", "Graph|SMILES|mixed|str"],
    "clf().fit([nxg('C', 'O')] + S[1:], y)": ["1|0", "Graph|str"],
    "clf().fit({s: 1 for s in S}, y)": ["dict|list|28|16"], "clf().fit(iter(S), y[:3])": ["3"],
    "clf().fit(5, y)": ["int|5"], "clf().fit(None, y)": ["None|X"],
    "clf(max_edges='2').fit(S, y)": ["max_edges"], "clf(max_edges=2.5).fit(S, y)": ["max_edges", "2.5"],
    "clf(max_edges=-1).fit(S, y)": ["max_edges", "-1"], "clf(max_edges=True).fit(S, y)": ["max_edges", "True|bool"],
    "clf(sizes=3).fit(S, y)": ["sizes", "3"], "clf(sizes=()).fit(S, y)": ["sizes"],
    "clf(sizes=(2, 1)).fit(S, y)": ["sizes", "increasing"], "clf(sizes='many').fit(S, y)": ["sizes", "many"],
    "clf(sizes=(1, None)).fit(S, y)": ["sizes"],
    "clf(min_support=0).fit(S, y)": ["min_support", "0"], "clf(min_support=1.5).fit(S, y)": ["min_support", "1.5"],
    "clf(min_support=np.nan).fit(S, y)": ["min_support", "nan"],
    "clf(min_support=1000).fit(S, y)": ["min_support|1000"],
    "clf(preset='best').fit(S, y)": ["preset", "best"], "clf(hidden=3).fit(S, y)": ["hidden", "network"],
    "clf(penalty='l2').fit(S, y)": ["l2"], "clf(select='f1').fit(S, y)": ["select", "f1"],
    "clf(select='rmse').fit(S, y)": ["rmse"],
    "clf(head='svm').fit(S, y)": ["svm"], "clf(folds=0).fit(S, y)": ["folds", "0"],
    "clf(folds=33).fit(S, y)": ["folds", "33"], "clf(folds=StratifiedKFold(3)).fit(S, y)": ["folds"],
    "clf(random_state=-1).fit(S, y)": ["random_state", "-1"],
    "clf(random_state='x').fit(S, y)": ["random_state", "x"], "clf(random_state=1.5).fit(S, y)": ["1.5"],
    "clf(threads=0).fit(S, y)": ["threads", "0"], "clf(threads='all').fit(S, y)": ["threads", "all"],
    "clf(memory='lots').fit(S, y)": ["memory", "lots"],
    "clf(memory=-1).fit(S, y)": ["memory", "-1"], "clf(class_weight='auto').fit(S, y)": ["class_weight", "auto"],
    "clf(n_estimators=100)": ["n_estimators"], "clf(max_edge=3)": ["max_edge"],
    "es.EINClassifier(3)": ["positional|keyword"], "clf().set_params(trees_=3)": ["trees_"],
    "clf(exclude=['C1CC']).fit(S, y)": ["exclude", "C1CC"], "clf(require=['C.C']).fit(S, y)": ["connected|C.C"],
    "clf(require='CO').fit(S, y)": ["require|list"],
    "clf(require=[3]).fit(S, y)": ["require|3"], "clf(exclude=['[C&!R]']).fit(S, y)": ["!"],
    "clf(qualifiers=['colour']).fit(S, y)": ["colour"], "clf(qualifiers='nothere.csv').fit(S, y)": ["nothere.csv"],
    "clf(on_bad='ignore').fit(S, y)": ["on_bad", "ignore"],
    "clf(backend='openbabel').fit(S, y)": ["backend", "openbabel"],
    "clf(molecule_labels=['colour']).fit(S, y)": ["colour"], "clf(hydrogens='yes').fit(S, y)": ["hydrogens", "yes"],
    "clf().fit(S, y, sample_weight=[1, 2])": ["sample_weight", "2"],
    "clf().fit(S, y, sample_weight=[-1] * 32)": ["sample_weight|weight", "-1"],
    "clf().fit(S, y, sample_weight=[0] * 32)": ["weight"], "clf().fit(S, y, sample_weight=[np.nan] * 32)": ["weight",
        "nan"],
    "clf().fit(S, y, sample_weight=['a'] * 32)": ["weight"], "clf().fit(S, y, eval_set=S)": ["eval_set"],
    "clf().fit(S, y, eval_set=[(S, y)] * 2)": ["eval_set"], "clf().fit(S, y, eval_set=(S, y[:5]))": ["5", "32"],
    "clf().fit(S, y, eval_set=(S, ['x'] * 32))": ["x", "eval_set"],
    "clf().fit(S, y, eval_set=([], []))": ["eval_set|empty|validation"], "clf().predict(S)": ["fit"],
    "clf().explain(S)": ["fit"], "clf().save('x')": ["fit"], "clf().patterns_": ["patterns_"],
    "clf().at_size(1)": ["fit"], "fitted().predict('CCO')": ["str|list"],
    "fitted().predict(['C1CC'])": ["C1CC"], "fitted().predict(None)": ["None|X"],
    "fitted().predict(es.GraphSet.from_smiles(S, hydrogens='keep', molecule_labels=['charge']))": ["charge"],
    "fitted().predict(np.zeros((3, 2)))": ["GraphSet|SMILES|graph"], "fitted().predict(S, on_bad='maybe')": ["maybe"],
    "fitted().score(S, y[:3])": ["3", "32"], "fitted().score(S, ['a'] * 32)": ["a", "class"],
    "fitted().evaluate(S, ['a'] * 32)": ["a", "class"],
    "fitted().evaluate(S, None)": ["y"], "fitted().at_size('1')": ["size|str"], "fitted().at_size(0)": ["0", "1"],
    "fitted().at_size(1.5)": ["1.5|float|integer"], "fitted().explain(S, method='gradcam')": ["gradcam"],
    "fitted().explain(S, output='odds')": ["odds"],
    "fitted().explain(S, baseline='zero')": ["zero"], "fitted().explain(S, foo=3)": ["foo"],
    "fitted().explain(S, orders=0)": ["orders"], "fitted().explain(S, orders=-3)": ["orders"],
    "fitted().explain([])": ["empty|no graph|at least"], "fitted().explain(S)[100]": ["100|range"],
    "fitted().explain(S).draw(-100)": ["-100|range"], "fitted().explain(S).draw('0')": ["str|int"],
    "fitted().explain(S, exact_up_to=99).values": ["exact_up_to|99"], "fitted().surrogate_tree(S, depth=0)": ["depth"],
    "fitted().surrogate_tree(S, task=3)": ["task|3"],
    "fitted().surrogate_tree(S, task='nosuch')": ["nosuch"], "fitted().report('/nothere/x.html', S, y)": ["nothere"],
    "fitted().report('x.html', S, y[:3])": ["3", "32"], "fitted().report('x.html', S, y, other=5)": ["other|int"],
    "fitted().save('/nothere/x')": ["nothere"],
    "fitted().save(5)": ["int|path"], "es.EINClassifier.load('/nothere')": ["nothere"],
    "open('t.csv','w').write('a,b'); es.EINClassifier.load('t.csv')": ["t.csv|model"],
    "reg().fit(S, v).save('r'); es.EINClassifier.load('r')": ["EINRegressor|regress|number"],
    "fitted().coef_": ["linear|head"], "es.GraphSet.from_smiles('CCO')": ["str|list"],
    "es.GraphSet.from_smiles(5)": ["int|iter"], "es.GraphSet.from_smiles([[1]])": ["list|0"],
    "es.GraphSet.from_smiles(S, hydrogen='keep')": ["hydrogen"],
    "es.GraphSet.from_smiles(S, features=v[:3])": ["3", "32"],
    "es.GraphSet.from_smiles(S, features=['a'] * 32)": ["feature"],
    "es.GraphSet.from_smiles(S, features={'a': v, 'b': v[:2]})": ["b|2|length"],
    "G().with_features(np.full((32, 1), np.nan))": ["nan|finite|row"], "G()[100]": ["range|100"],
    "G()[1.5]": ["float|1.5|int"], "G()['a']": ["str|a"], "G()[[True]]": ["1", "32"], "G() + 5": ["int|5"],
    "G() + S": ["list|GraphSet"], "es.GraphSet()": ["core|from_|argument"], "es.GraphSet(S)": ["from_|Graphs"],
    "es.GraphSet.read('/nothere')": ["nothere"], "es.GraphSet.read(5)": ["int|path"],
    "es.GraphSet.from_tu('.')": ["_A|TU|folder"], "es.GraphSet.from_networkx(nxg('C', 'O'))": ["list|Graph|node|int"],
    "es.GraphSet.from_networkx([nx.DiGraph([(0, 1)])])": ["direct"],
    "es.GraphSet.from_networkx([nx.MultiGraph([(0, 1), (0, 1)])])": ["parallel|multi|edge"],
    "es.GraphSet.from_networkx([nx.Graph()])": ["vert|empty|graph 0"],
    "es.GraphSet.from_networkx([nx.Graph([(0, 0)])])": ["0", "itself"],
    "es.GraphSet.from_networkx([nxg('C', 0.5)])": ["0.5"], "es.GraphSet.from_networkx([nxg('C', None)])": ["None"],
    "es.GraphSet.from_networkx([nxg('C', ['a'])])": ["list|\\['a'\\]"],
    "es.GraphSet.from_networkx([nxg('C')], vertex_label='element')": ["element"],
    "es.GraphSet.from_networkx([nxg('C')], vertex_properties='colour')": ["colour|list"],
    "es.GraphSet.from_networkx([nxg('C')], vertex_properties=['colour'])": ["colour"],
    "es.GraphSet.from_networkx(['CCO'])": ["str|networkx"], "es.GraphSet.from_networkx([])": ["empty|at least"],
    "es.GraphSet.from_edges([[(0, 1)]], [['C']])": ["1|vert"],
    "es.GraphSet.from_edges([[(0, -1)]])": ["-1"], "es.GraphSet.from_edges([[(0, 1, 2, 3)]])": ["two"],
    "es.GraphSet.from_edges([[(0, 0.5)]])": ["0.5"], "es.GraphSet.from_edges([[(0, 1)]], [['C', 'O']] * 2)": ["2", "1"],
    "es.GraphSet.from_edges([[(0, 1)]], [['C', 'O']], [['s', 'd']])": ["2", "1"],
    "es.GraphSet.from_edges([np.zeros((3, 3))])": ["integers"],
    "es.GraphSet.from_edges([[(0, 2**40)]])": ["vert|large|1099511627776|2\\^32|4294967"],
    "es.GraphSet.from_edges([[('a', 'b')]])": ["a|str"],
    "es.GraphSet.from_edges([[(0, 1)]], vertex_properties={'c': [['r']]})": ["c|1|2"],
    "es.GraphSet.from_edges([[(0, 1), (1, 0)]])": ["twice|parallel|edge"],
    "es.GraphSet.from_rdkit(S)": ["str|RDKit|molecule"], "es.GraphSet.from_rdkit([None])": ["None|0"],
    "es.GraphSet.from_dataframe(pd.DataFrame({'s': S}))": ["smiles", "s"],
    "es.GraphSet.from_dataframe(pd.DataFrame({'smiles': S}), target='t')": ["t"],
    "es.GraphSet.from_dataframe(S)": ["list|frame"],
    "es.GraphSet.from_dataframe(pd.DataFrame([[*S[:2], 1]], columns=['smiles', 'smiles', 'y']))": ["smiles",
        "twice|several|two|once|2"], "es.GraphSet.from_pyg([1])": ["int|Data"],
            "es.GraphSet.from_pyg(5)": ["int|iter|Data"],
    "clf().fit(G().with_features({'a': v}), y).predict(S)": ["a"],
    "clf().fit(G().with_features({'a': v}), y).predict(G().with_features({'b': v}))": ["a"],
    "es.experiment(clf(), S, y, splits='nothere')": ["nothere"],
    "es.experiment(clf(), S, y, splits=5)": ["splits|5|int"], "es.experiment(5, S, y)": ["estimator|int"],
    "es.experiment(clf(), S, y, StratifiedKFold(2), grid={'max_edgs': [1]})": ["max_edgs"],
    "es.experiment(clf(), S, y, StratifiedKFold(2), grid={'max_edges': 3})": ["max_edges|list"],
    "es.experiment(clf(), S, y, StratifiedKFold(2), trials=[7])": ["7"],
    "es.stability(clf(), S, y, bootstrap=0)": ["bootstrap", "0"],
    "es.stability(clf(), S, y, bootstrap=2.5)": ["2.5|int"],
    "GridSearchCV(clf(), {'max_edgs': [1]}, cv=2).fit(S, y)": ["max_edgs"],
    "GridSearchCV(clf(), {'max_edges': [0, 99]}, cv=2, error_score='raise').fit(S, y)": ["max_edges"],
    "es.SubgraphTransformer(**F).fit(S)": ["y"], "es.SubgraphTransformer(task='cluster', **F).fit(S, y)": ["task",
        "cluster"], "es.SubgraphTransformer(task='regress', **F).fit(S, ['a', 'b'] * 16)": ["number|a"],
            "es.SubgraphTransformer(**F).transform(S)": ["fit"],
            "es.model_selection.ScaffoldKFold(1).split(S)": ["1|2"],
            "list(es.model_selection.GroupKFold(3).split(G(), y, groups=[1] * 32))": ["group"],
            "list(es.model_selection.StratifiedKFold(50).split(G(), y))": ["50"],
            "list(es.model_selection.ClusterKFold(3, similarity=2).split(G(), y))": ["similarity", "2"],
    "list(es.model_selection.StratifiedKFold(2).split(G(), y[:4]))": ["4", "32"],
    "list(fitted().predict_batches([5]))": ["int|batch|table"], "fitted().effects([])": ["empty|at least|no graph"],
    "fitted().patterns_[0].count(5)": ["int|Graph"], "fitted().explain(S).draw(0).save('x.bmp')": ["bmp|svg"],
    "fitted().explain(S).draw(0).save('/nothere/x.svg')": ["nothere"],
    "fitted().out_of_fold_predict(S[:0])": ["empty|at least|no graph"],
}
SAID = {"fitted().predict([nxg('x', 'y')] * 3)": ["say nothing"], "clf(sizes=(500,)).fit(S, y)": [],
    "clf().fit(S[:-1] + ['C1CC'], y, on_bad='nan')": ["C1CC|31"], "fitted().predict(['[Si]', '[Si][Si]', 'CCO'])": [],
    "es.GraphSet.from_networkx([nxg('C', 'O')] * 2)": []}
FINE = [
    "assert not len(fitted().predict(G()[:0]))", "assert fitted().patterns_[0].matches('CCO')",
    "es.experiment(clf(), S, y, StratifiedKFold(2), grid={})",
    "assert es.GraphSet.from_edges([[(0, 1, 2)]])[0].edges == [(0, 1, '2')]",
    "clf().fit(tuple(S), list(map(bool, y))).predict(S[:1])",
    "clf().fit(np.array(S), pd.Series(y, index=range(100, 132)))", "clf().fit(pd.Series(S, index=range(5, 37)), y)",
    "clf().fit((s for s in S), y)", "clf().fit(S, [None] + list(y[1:]))",
    "clf().fit(S, pd.array([pd.NA] + list(y[1:]), dtype='Int64'))", "clf().fit(S, pd.Categorical(['n', 'y'] * 16))",
    "m = fitted(); assert (pickle.loads(pickle.dumps(m)).predict(S) == m.predict(S)).all()",
    "assert copy.deepcopy(fitted()).predict(S[:1])[0] in (0, 1)", "clone(fitted()).fit(S, y)",
    "clone(clf(exclude=['CO'])).fit(S, y)", "GridSearchCV(clf(), {'max_edges': [1, 2]}, cv=2).fit(S, y)",
    "GridSearchCV(clf(), {'max_edges': [1, 2]}, cv=2).fit(G(), y).best_estimator_.predict(G())",
    "cross_val_score(clf(), np.array(S), y, cv=2)",
    "make_pipeline(es.SubgraphTransformer(**F), __import__('sklearn.linear_model').linear_model.LogisticRegression())"
    ".fit(S, y).predict(S)",
    "train_test_split(G(), y, test_size=0.5)",
    "m = clf().fit(S, y.astype(float)); assert m.predict(S).dtype.kind == 'f'",
    "m = clf().fit(S, np.where(y, 'ja', 'nein')); assert set(m.classes_) == {'ja', 'nein'}",
    "clf(max_edges=np.int64(2), sizes=np.array([1, 2])).fit(S, y)", "reg().fit(S, v * 1e-9).score(S, v * 1e-9)",
    "reg().fit(S, v.astype('float16'))", "assert (clf().fit(S, y).predict(G()) == clf().fit(G(), y).predict(S)).all()",
    "nan = fitted().predict_proba(['CCO', 'C1CC', None], on_bad='nan'); assert np.isnan(nan[1:]).all()",
    "assert len(fitted().predict(['CCO', 'C1CC'], on_bad='skip')) == 1",
    "p = pickle.dumps(clf()); assert pickle.loads(p).get_params()['max_edges'] == 2",
    "m = fitted(); m.set_params(max_edges=1); assert len(m.predict(S)) == 32",
    "repr(clf()), repr(fitted()), fitted()._repr_mimebundle_()", "clf().fit(S, y, sample_weight=np.ones(32))",
    "fitted().predict_proba(['CCO']).sum() == 1",
]


def run_forked(code, folder):
    """Runs code in a child of this process, within two minutes."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.chdir(folder)
        errors = os.open("stderr.txt", os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
        os.dup2(errors, 2)
        os.dup2(errors, 1)
        os.write(writing, outcome_of(code).encode(errors="replace"))
        os._exit(0)
    os.close(writing)
    said, end = b"", time.monotonic() + 120
    while select.select([reading], [], [], max(0.0, end - time.monotonic()))[0]:
        part = os.read(reading, 65536)
        if not part:
            break
        said += part
    else:
        os.kill(child, signal.SIGKILL)
    os.close(reading)
    _, status = os.waitpid(child, 0)
    if status:
        return Outcome("timeout" if os.WIFSIGNALED(status) and os.WTERMSIG(status) == 9 else -status,
            "ended by the system")
    word, _, text = said.decode().partition("\n")
    return Outcome(int(word), text)


def outcome_of(code):
    """The status (0, 1 for a refusal, 99 for a bug) and, behind it, the error or the warnings."""
    space = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(SETUP, space)
            exec(code, space)
            said = " / ".join(str(one.message) for one in caught)
            return f"0\n{said}{pathlib.Path('stderr.txt').read_text()}"
        except REFUSALS as error:
            return f"1\n{type(error).__name__}: {error}"
        except BaseException as error:
            # hasattr asks by this type: of attributes that fit makes, and of those that other heads have.
            is_refusal = isinstance(error, AttributeError) and re.search("no attribute '.*_'|head", str(error))
            last = traceback.extract_tb(error.__traceback__)[-1]
            return f"{1 if is_refusal else 99}\n{type(error).__name__}: {error} ({last.filename}:{last.lineno})"


def cases(folder):
    import einsicht  # noqa: F401 - imported once, before the forks
    import networkx  # noqa: F401
    import pandas  # noqa: F401
    import sklearn.model_selection  # noqa: F401

    def case(code, words, kind):
        return Case(code, words, kind, lambda: run_forked(code, folder))

    return [
        *(case(code, words, "refuse") for code, words in REFUSED.items()),
        *(case(code, words, "say") for code, words in SAID.items()),
        *(case(code, [], "fine") for code in FINE),
    ]
