/* One graph ---------------------------------------------------------------------------------------------------- */
function open(row, marked) {
  state.graph = row;
  state.marked = marked;
  showDetail();
  for (const line of $("table").tBodies[0].rows) line.setAttribute("aria-selected", String(Number(line.dataset.row) === row));
  if (window.innerWidth <= 860 || marked !== null) $("detail").scrollIntoView({ block: "nearest" });
}
function toggleMark(pattern) {
  state.marked = state.marked === pattern ? null : pattern;
  showDetail();
}
// The prediction, the truth and the set of a graph.
function summary(row) {
  const name = (content) => (isClassification() ? task().classes[content] : number(content));
  const probability = isClassification() ? ` (${percent(Math.max(...probabilities(row)))})` : "";
  const facts = [`predicted ${name(predicted(row))}${probability}`];
  if (truth(row) !== null) facts.push(`true ${name(truth(row))}`);
  const part = R.graphs[row].part;
  const isFitted = part === "train" || (part === "valid" && R.is_refitted);
  if (part) facts.push(`${SETS[part]} set${isFitted ? ": the prediction is fitted" : ""}`);
  return facts.join(" · ");
}
// The prediction for a graph at every size.
function predictionPath(row) {
  const isBinary = task().classes.length === 2;
  const q = isBinary || !isClassification() ? quantitiesOf(quantity().task)[0] : state.quantity;
  const points = R.entries.map((_, at) => [at, value(row, q, at)]);
  const numbers = points.map(([, v]) => v);
  const y = isClassification() ? [0, 1] : [Math.min(...numbers), Math.max(...numbers)];
  const yName = isClassification() ? `P(${task().classes[R.quantities[q].class]})` : task().name;
  const x = [-0.3, R.entries.length - 0.7];
  const chart = plot({ wide: 460, high: 170, x, y, xName: "number of subgraphs", yName, xTicks: sizeTicks(), label: "prediction against the number of subgraphs" });
  chart.svg.append(curve(chart, points, "var(--accent)"));
  for (const [at, v] of points) {
    chart.svg.append(shape("circle", { cx: chart.px(at), cy: chart.py(v), r: at === state.entry ? 5 : 3, fill: "var(--accent)" }));
  }
  return chart.svg;
}
function attributionBar(value, largest) {
  const style = `width:${((50 * Math.abs(value)) / largest).toFixed(1)}%`;
  return make("div", { class: "sb" }, make("i", { class: value < 0 ? "minus" : "plus", style }));
}
function attributionRow(graph, { pattern, value }, largest) {
  const bar = [make("td", {}, attributionBar(value, largest)), make("td", { class: "v" }, signed(value))];
  if (pattern < 0) return make("tr", {}, make("td", { class: "p soft" }, "\u2211"), make("td", {}, `${R.side_input}, relative to its mean`), ...bar);
  const known = R.patterns[pattern];
  const isMarked = state.marked === pattern;
  const said = graph.counts ? graph.counts[graph.present.indexOf(pattern)] : "";
  const click = (event) => { event.stopPropagation(); toggleMark(pattern); };
  const name = make("button", { "aria-pressed": String(isMarked), title: known.words, on: { click } }, known.text + (said ? `, ${said}` : ""));
  const attributes = { class: isMarked ? "on" : null, "data-pattern": pattern, on: { click: () => toggleMark(pattern) } };
  return make("tr", attributes, make("td", { class: "p" }, drawing(known.picture, known.words)), make("td", {}, name), ...bar);
}
// Base, attributions and output: the sum.
function attributionTable(graph, list) {
  const base = entry().base[state.quantity];
  const total = list.reduce((sum, one) => sum + one.value, base);
  const largest = Math.max(1e-9, ...list.map((one) => Math.abs(one.value)));
  const end = (name, amount, style) => make("tr", { class: style }, make("td", {}), make("td", {}, name), make("td", {}), make("td", { class: "v" }, number(amount)));
  const rows = list.map((one) => attributionRow(graph, one, largest));
  return make("table", { class: "attributions" }, make("tbody", {}, end("base", base, ""), ...rows, end("output", total, "sum")));
}
function drawingCaption(list) {
  if (state.marked !== null) return "The chosen subgraph is marked wherever it occurs.";
  if (!list.length) return "The graph contains none of the model's subgraphs, so the output is the base.";
  return "Orange parts raise the output, blue ones lower it. Choose a subgraph to see where it occurs.";
}
function method(list) {
  const isSampled = list.length > R.exact_up_to;
  const how = isSampled ? ` Sampled: means over ${2 * R.orders} orders.` : " Exact.";
  return `Shapley values of the ${quantity().name}. Baseline: a graph without any of the subgraphs${R.side_input ? `, and the mean of the ${R.side_input}` : ""}.${how}`;
}
function showDetail() {
  const [row, graph, list] = [state.graph, R.graphs[state.graph], attributions(state.graph)];
  const children = [
    make("h3", {}, `Graph ${graph.id}`),
    note(summary(row)),
    make("div", { class: "big" }, graphDrawing(row, state.marked)),
    note(drawingCaption(list)),
    attributionTable(graph, list),
    make("p", { class: "note below" }, method(list)),
  ];
  fill("detail", ...children, ...(R.entries.length > 1 ? [predictionPath(row)] : []));
}

