// Shows what the report computed. Text is always set as text; only drawings, made and escaped by the program, are markup.
"use strict";
const R = JSON.parse(document.getElementById("report-data").textContent);
const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
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

/* Elements ----------------------------------------------------------------------------------------------------- */
// An element of HTML; `on` holds listeners, and attributes that are false or absent are left out.
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  const { on = {}, ...plain } = attributes || {};
  for (const [event, act] of Object.entries(on)) element.addEventListener(event, act);
  for (const [name, value] of Object.entries(plain)) {
    if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}
// An element of SVG.
function shape(tag, attributes, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}
function fill(id, ...children) {
  $(id).replaceChildren(...children);
}
// A part that may be wider than the page: keys move it.
const scrolling = { class: "scroll", tabindex: "0", role: "group", "aria-label": "table" };
const note = (...children) => make("p", { class: "note" }, ...children);
const header = (text, style) => make("th", { scope: "col", class: style || null }, text);

/* Numbers ------------------------------------------------------------------------------------------------------ */
const isMissing = (value) => value === undefined || value === null || Number.isNaN(value);
const number = (value, digits = 3) => (isMissing(value) ? "–" : value.toFixed(digits).replace(/^-/, "−"));
const signed = (value) => (value < 0 ? "−" : "+") + Math.abs(value).toFixed(3);
// A number with its sign and about three digits.
function signedShort(value) {
  const size = Math.abs(value);
  if (size >= 1000 || (size > 0 && size < 0.0005)) return (value < 0 ? "−" : "+") + size.toPrecision(3);
  return signed(value);
}
const percent = (value) => (100 * value).toFixed(1) + " %";
const graphs = (count) => `${count} ${count === 1 ? "graph" : "graphs"}`;
const subgraphs = (count) => `${count} ${count === 1 ? "subgraph" : "subgraphs"}`;
// The question of a tree: a graph has at least so many copies; a minimum-image count is no number of copies.
const countQuestion = (count) =>
  count === 1
    ? "contained?"
    : R.feature === "mni"
      ? `MNI count at least ${count}?`
      : `at least ${count} copies?`;
function short(value) {
  const size = Math.abs(value);
  return size >= 1000 || (size > 0 && size < 0.001)
    ? value.toPrecision(3)
    : String(Number(value.toPrecision(4)));
}

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
// The class or number of the current task by the outputs that the page shows: out-of-fold ones where there are any. Classes are decided by
// the program, with temperatures and thresholds.
function said(row, at = state.entry) {
  if (!isClassification()) return value(row, quantitiesOf(quantity().task)[0], at);
  return R.entries[at].classes[row * shownTasks.length + shownTasks.indexOf(quantity().task)];
}
// The prediction, if a model that has not seen the graph has made one.
const predicted = (row) => (R.graphs[row].group === "fitted" ? null : said(row));
// The explained output.
const outputName = () => quantity().name;
// At other sizes than the selected one, only every so many graphs are explained one by one.
const isExplained = (row) => row % entry().stride === 0;
// The subgraphs of the entry that a graph contains.
function presentPatterns(row) {
  const inside = new Set(entry().patterns);
  return R.graphs[row].present.filter((pattern) => inside.has(pattern));
}
// Attributions of the features to an output, the largest first: those that are present, subgraphs whose absence counts, and
// the sum of the other absent ones (pattern -2). Side inputs have the patterns -10, -11, ...
function attributions(row, q = state.quantity) {
  if (!isExplained(row)) return [];
  const order = new Map(entry().patterns.map((pattern, at) => [pattern, at]));
  const values = entry().attributions[row / entry().stride];
  const found = presentPatterns(row).sort((a, b) => order.get(a) - order.get(b));
  R.side_inputs.forEach((_, at) => found.push(-10 - at));
  const list = found.map((pattern, at) => ({ pattern, value: values[at * width + q], isAbsent: false }));
  const { subgraphs: absent, others } = entry().absences[row / entry().stride];
  for (const [at, ofQuantities] of absent) {
    list.push({ pattern: entry().patterns[at], value: ofQuantities[q], isAbsent: true });
  }
  list.sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
  if (others[0]) list.push({ pattern: -2, value: others[1][q], isAbsent: true, count: others[0] });
  return list;
}
// Those of subgraphs that the graph contains.
const presentAttributions = (row, q) =>
  attributions(row, q).filter((one) => one.pattern >= 0 && !one.isAbsent);
