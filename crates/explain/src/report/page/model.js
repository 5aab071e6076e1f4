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
const isWrong = (row) => truth(row) !== null && isClassification() && truth(row) !== predicted(row);
function quantitiesOf(index) {
  return R.quantities.map((q, at) => [q, at]).filter(([q]) => q.task === index).map(([, at]) => at);
}
// Probabilities of all classes of the current task.
function probabilities(row, at = state.entry) {
  const own = quantitiesOf(quantity().task);
  if (task().classes.length !== 2) return own.map((q) => value(row, q, at));
  const second = value(row, own[0], at);
  return [1 - second, second];
}
// The predicted class or number of the current task.
function predicted(row, at = state.entry) {
  if (!isClassification()) return value(row, quantitiesOf(quantity().task)[0], at);
  const all = probabilities(row, at);
  return all.indexOf(Math.max(...all));
}
// Attributions of the features that are present, the largest first. The side input has the pattern -1.
function attributions(row) {
  const inside = new Map(entry().patterns.map((pattern, at) => [pattern, at]));
  const values = entry().attributions[row];
  const found = R.graphs[row].present.filter((pattern) => inside.has(pattern));
  found.sort((a, b) => inside.get(a) - inside.get(b));
  if (R.side_input) found.push(-1);
  const list = found.map((pattern, at) => ({ pattern, value: values[at * width + state.quantity] }));
  return list.sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
}

