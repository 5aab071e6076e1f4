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
// Whether only the model that was fitted on the graph has predicted it.
const isOnlyFitted = (row) => R.graphs[row].group === "fitted";
// The prediction, where it comes from, and the truth of a graph.
function summary(row) {
  const name = (content) => (isClassification() ? task().classes[content] : number(content));
  const probability = isClassification() ? ` (${percent(probabilities(row)[said(row)])})` : "";
  const how = isOnlyFitted(row) ? "fitted" : `predicted (${group(R.graphs[row].group).name})`;
  const facts = [`${how} ${name(said(row))}${probability}`];
  if (truth(row) !== null) facts.push(`true ${name(truth(row))}`);
  return facts.join(" · ");
}
// What the attributions explain, if that is not the prediction above.
function fittedSentence(row) {
  if (!R.graphs[row].is_fitted_on) return "";
  return isOnlyFitted(row) ? " The model was fitted on this graph: this is not a prediction." : " They explain the output of the model itself, which was fitted on this graph too; the prediction above is by a model that had not seen it.";
}
// The prediction for a graph at every size.
function predictionPath(row) {
  const isBinary = task().classes.length === 2;
  const q = isBinary || !isClassification() ? quantitiesOf(quantity().task)[0] : state.quantity;
  const points = R.entries.map((_, at) => [at, value(row, q, at)]);
  const numbers = points.map(([, v]) => v);
  const y = isClassification() ? [0, 1] : [Math.min(...numbers), Math.max(...numbers)];
  const how = isOnlyFitted(row) ? "fitted " : "";
  const yName = how + (isClassification() ? `P(${task().classes[R.quantities[q].class]})` : task().name);
  const x = [-0.3, R.entries.length - 0.7];
  const chart = plot({ wide: 460, high: 170, x, y, xName: "number of subgraphs", yName, xTicks: sizeTicks(), label: `${how}prediction against the number of subgraphs` });
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
function attributionRow(graph, { pattern, value, isAbsent, count }, largest) {
  const bar = [make("td", {}, attributionBar(value, largest)), make("td", { class: "v" }, signed(value))];
  if (pattern === -2) return make("tr", {}, make("td", { class: "p" }), make("td", { class: "soft" }, `absence of ${count} other ${count === 1 ? "subgraph" : "subgraphs"}`), ...bar);
  if (pattern >= 0 && isAbsent) {
    const known = R.patterns[pattern];
    return make("tr", { class: "absent", "data-absent": pattern }, make("td", { class: "p" }, drawing(known.picture, known.words)), make("td", { title: known.words }, `absence of ${known.text}`), ...bar);
  }
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
  return make("table", { class: "attributions" }, make("tbody", {}, end("base", base, ""), ...rows, end(graph.is_fitted_on ? "output (fitted)" : "output", total, "sum")));
}
function drawingCaption(list) {
  if (state.marked !== null) return "The chosen subgraph is marked wherever it occurs.";
  if (!list.length) return "Nothing tells the graph from a usual one, so the output is the base.";
  const [first] = list;
  const decided = first.pattern >= 0 && first.isAbsent ? `Decided by the absence of ${R.patterns[first.pattern].text} (${signed(first.value)}), which no drawing can show. ` : "";
  if (!list.some((one) => one.pattern >= 0 && !one.isAbsent)) return `${decided}The graph contains none of the model's subgraphs.`;
  return `${decided}Orange parts raise the output, blue ones lower it. Choose a subgraph to see where it occurs.`;
}
function method() {
  const how = entry().error ? ` Sampled, with standard errors of at most ${short(entry().error)}.` : " Exact.";
  return `Shapley values of the ${outputName()}. Baseline: the background, a sample of the training graphs that the model holds; the base is its mean output.${how}`;
}
function showDetail() {
  const [row, graph, list] = [state.graph, R.graphs[state.graph], attributions(state.graph)];
  const children = [
    make("h3", {}, `Graph ${graph.id}`),
    note(summary(row)),
    make("div", { class: "big" }, graphDrawing(row, state.marked)),
    note(drawingCaption(list)),
    attributionTable(graph, list),
    make("p", { class: "note below" }, method() + fittedSentence(row)),
  ];
  fill("detail", ...children, ...(R.entries.length > 1 ? [predictionPath(row)] : []));
}

