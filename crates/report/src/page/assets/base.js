const PAGE = 20; // rows of the table
const CARDS = 12; // cards of the gallery before "show all"
// What the reader has chosen. `marked` is the subgraph that is highlighted in the drawing of the open graph.
const state = {
  entry: R.chosen,
  explained: null,
  everyReason: false,
  depth: null,
  quantity: 0,
  graph: 0,
  marked: null,
  page: 0,
  sort: "id",
  up: true,
  text: "",
  group: "",
  truth: "",
  wrong: false,
  order: "effect",
  every: false,
};

// The question of a tree: a graph has at least so many copies; a minimum-image count is no number of copies.
const countQuestion = (count) =>
  count === 1
    ? "contained?"
    : R.feature === "mni"
      ? `MNI count at least ${count}?`
      : `at least ${count} copies?`;

/* The model and its predictions -------------------------------------------------------------------------------- */
const entry = () => R.entries[state.entry];
const quantity = () => R.quantities[state.quantity];
const task = () => R.tasks[quantity().task];
const isClassification = () => task().classes.length > 0;
const width = R.quantities.length;
const shownTasks = [...new Set(R.quantities.map((q) => q.task))];
const metricName = (key) => (R.metric_texts.find(([known]) => known === key) || [key, key])[1];
const value = (row, q, at = state.entry) => R.entries[at].predictions[row * width + q];
const truth = (row) => R.graphs[row].truth[quantity().task];
const hasTruth = () => R.graphs.some((_, row) => truth(row) !== null);
// Graphs that were fitted on without an out-of-fold prediction are not judged.
const isJudged = (row) => R.graphs[row].group !== "fitted" && truth(row) !== null;
const isWrong = (row) => isJudged(row) && isClassification() && truth(row) !== predicted(row);
// What the model knows of some graphs, by its name.
const group = (key) => R.groups.find((one) => one.key === key);
const hasSeveralGroups = () => R.groups.filter((one) => one.graphs).length > 1;
function quantitiesOf(index) {
  return R.quantities
    .map((q, at) => [q, at])
    .filter(([q]) => q.task === index)
    .map(([, at]) => at);
}
// Probabilities of all classes of the current task.
function probabilities(row, at = state.entry) {
  const own = quantitiesOf(quantity().task);
  if (task().classes.length !== 2) return own.map((q) => value(row, q, at));
  const second = value(row, own[0], at);
  return [1 - second, second];
}
// The class or number of the current task by the outputs that the page shows: out-of-fold ones where there are any.
// The program decides classes, with temperatures and thresholds.
function said(row, at = state.entry) {
  if (!isClassification()) return value(row, quantitiesOf(quantity().task)[0], at);
  return R.entries[at].classes[row * shownTasks.length + shownTasks.indexOf(quantity().task)];
}
// The prediction, if a model that has not seen the graph has made one.
const predicted = (row) => (R.graphs[row].group === "fitted" ? null : said(row));
// The explained output.
const outputName = () => quantity().name;
// At other sizes than the selected one, only some of many graphs are explained one by one.
const explainedAt = (row) => (entry().explained ? entry().explained.indexOf(row) : row);
const isExplained = (row) => explainedAt(row) >= 0;
// The graph of the n-th explanation.
const explainedRow = (at) => (entry().explained ? entry().explained[at] : at);
// A list of numbers: the largest size of one, and three letters for each.
function numbersOf([scale, letters]) {
  const numbers = [];
  for (let at = 0; at < letters.length; at += 3) {
    const [a, b, c] = [0, 1, 2].map((place) => LETTERS.indexOf(letters[at + place]));
    numbers.push(((4096 * a + 64 * b + c - 131072) / 131071) * scale);
  }
  return numbers;
}
// The subgraphs of the entry that a graph contains.
function presentPatterns(row) {
  const inside = new Set(entry().patterns);
  return R.graphs[row].present.filter((pattern) => inside.has(pattern));
}
// Attributions of the features to an output, the largest first: those that are present, subgraphs whose absence
// counts, and the sum of the other absent ones (pattern -2). Side inputs have the patterns -10, -11, ...
function attributions(row, q = state.quantity) {
  if (!isExplained(row)) return [];
  const order = new Map(entry().patterns.map((pattern, at) => [pattern, at]));
  const values = numbersOf(entry().attributions[explainedAt(row)]);
  const found = presentPatterns(row).sort((a, b) => order.get(a) - order.get(b));
  R.side_inputs.forEach((_, at) => found.push(-10 - at));
  const list = found.map((pattern, at) => ({ pattern, value: values[at * width + q], isAbsent: false }));
  const { subgraphs: absent, others, values: packed } = entry().absences[explainedAt(row)];
  const ofAbsent = numbersOf(packed);
  absent.forEach((pattern, at) => {
    list.push({ pattern: entry().patterns[pattern], value: ofAbsent[at * width + q], isAbsent: true });
  });
  list.sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
  if (others) {
    list.push({ pattern: -2, value: ofAbsent[absent.length * width + q], isAbsent: true, count: others });
  }
  return list;
}
// Those of subgraphs that the graph contains.
const presentAttributions = (row, q) =>
  attributions(row, q).filter((one) => one.pattern >= 0 && !one.isAbsent);
