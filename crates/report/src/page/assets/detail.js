/* One graph ---------------------------------------------------------------------------------------------------- */
const REASONS = 10; // rows of the waterfall before "show all"
function open(row, marked, isFar = false) {
  state.graph = row;
  state.marked = marked;
  state.explained = null;
  state.everyReason = false;
  showDetail();
  for (const line of $("table").tBodies[0].rows) {
    if (Number(line.dataset.row) === row) line.setAttribute("aria-current", "true");
    else line.removeAttribute("aria-current");
  }
  if (isFar || window.innerWidth <= 860 || marked !== null) $("detail").scrollIntoView({ block: "nearest" });
}
function toggleMark(pattern) {
  state.marked = state.marked === pattern ? null : pattern;
  showDetail();
}
// The output that is explained for a graph: of several classes the predicted one first.
function explainedQuantity(row) {
  if (state.explained !== null) return state.explained;
  if (task().classes.length < 3) return state.quantity;
  const own = quantitiesOf(quantity().task).find((q) => R.quantities[q].class === said(row));
  return own === undefined ? state.quantity : own;
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
  if (isWrong(row)) facts.push("wrong");
  if (!isClassification() && isJudged(row)) facts.push(`off by ${signed(said(row) - truth(row))}`);
  return facts.join(" · ");
}
// What is read beside the subgraphs: a column with its value, or something of the whole graph.
const sideName = (side, row) =>
  side.values ? `${side.name} = ${number(side.values[row])}` : `${side.name}, relative to its mean`;
const reasonName = ({ pattern, isAbsent, count }, row) => {
  if (pattern === -2) return `absence of ${count} other ${count === 1 ? "subgraph" : "subgraphs"}`;
  if (pattern <= -10) return sideName(R.side_inputs[-10 - pattern], row);
  return isAbsent ? `absence of ${R.patterns[pattern].text}` : R.patterns[pattern].text;
};
// The largest reasons for the output, in words.
function reasonSentence(row, list, q) {
  const total = list.reduce((sum, one) => sum + one.value, 0);
  const own = list.filter((one) => one.value * total > 0);
  if (!own.length) return "";
  const where = total < 0 ? "below" : "above";
  return `The ${R.quantities[q].name} is ${where} that of a typical graph, mostly because of ${listed(own, row, 3)}.`;
}
// Names of the largest of some reasons with their values, in words.
function listed(list, row, most) {
  const order = [...list].sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
  const names = order.slice(0, most).map((one) => `${reasonName(one, row)} (${signed(one.value)})`);
  return names.length > 1
    ? `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`
    : names.join("");
}
// Why a prediction is wrong: what speaks for the predicted class, and what against it; and whether the model itself has
// learnt the graph.
function wrongSentence(row, list, q) {
  const names = task().classes;
  const sign = R.quantities[q].class === said(row) ? 1 : -1;
  if (sign < 0 && names.length > 2) return reasonSentence(row, list, q);
  const [by, against] = [1, -1].map((side) => list.filter((one) => sign * side * one.value > 0));
  const who = R.graphs[row].is_fitted_on ? "a model that had not seen this graph predicts" : "the model predicts";
  const parts = [
    `Wrong: ${who} ${names[said(row)]} (${percent(probabilities(row)[said(row)])}), but it is ${names[truth(row)]}.`,
  ];
  if (by.length) parts.push(`Main reasons for ${names[said(row)]}: ${listed(by, row, 3)}.`);
  parts.push(against.length ? `Against it: ${listed(against, row, 3)}.` : "There is no evidence against it.");
  const output = list.reduce((sum, one) => sum + one.value, entry().base[q]);
  const isProbability = R.quantities[q].name.startsWith("probability");
  const limit = isProbability ? 0.5 : 0;
  if (R.graphs[row].is_fitted_on && names.length === 2 && sign * (output - limit) < 0) {
    const amount = isProbability ? percent(output) : number(output);
    parts.push(
      `The model itself predicts the right class (${R.quantities[q].name}: ${amount}), ` +
        "because it was fitted on this graph too.",
    );
  }
  return parts.join(" ");
}
// What the attributions explain, if that is not the prediction above.
function fittedSentence(row) {
  if (!R.graphs[row].is_fitted_on) return "";
  if (isOnlyFitted(row)) return " The model was fitted on this graph: this is not a prediction.";
  return (
    " They explain the output of the model itself, which was fitted on this graph too; the prediction above comes " +
    "from a model that had not seen it."
  );
}
// The prediction for a graph at every size.
function predictionPath(row, explained) {
  const isBinary = task().classes.length === 2;
  const q = isBinary || !isClassification() ? quantitiesOf(quantity().task)[0] : explained;
  const points = R.entries.map((_, at) => [at, value(row, q, at)]);
  const numbers = points.map(([, v]) => v);
  const y = isClassification() ? [0, 1] : [Math.min(...numbers), Math.max(...numbers)];
  const how = isOnlyFitted(row) ? "fitted " : "";
  const yName = how + (isClassification() ? `P(${task().classes[R.quantities[q].class]})` : task().name);
  const x = [-0.3, R.entries.length - 0.7];
  const label = `${how}prediction against the number of subgraphs`;
  const xName = "number of subgraphs";
  const chart = plot({ wide: 460, high: 170, x, y, xName, yName, xTicks: sizeTicks(), label });
  chart.svg.append(curve(chart, points, "var(--accent)"));
  for (const [at, v] of points) {
    const r = at === state.entry ? 5 : 3;
    chart.svg.append(shape("circle", { cx: chart.px(at), cy: chart.py(v), r, fill: "var(--accent)" }));
  }
  return chart.svg;
}

/* The waterfall: from the mean output of the background to that of the graph ------------------------------------ */
function waterfallBar(from, to, [low, high]) {
  const at = (v) => (100 * (v - low)) / (high - low || 1);
  const [left, right] = [Math.min(at(from), at(to)), Math.max(at(from), at(to))];
  const style = `left:${left.toFixed(1)}%;width:${Math.max(0.6, right - left).toFixed(1)}%`;
  const kind = from === to ? "level" : to < from ? "minus" : "plus";
  return make("div", { class: "fall", "aria-hidden": "true" }, make("i", { class: kind, style }));
}
function attributionRow(graph, one, bar) {
  const { pattern, value, isAbsent } = one;
  const known = R.patterns[pattern];
  const cells = [make("td", { class: "w" }, bar), make("td", { class: "v" }, signed(value))];
  const picture = make("td", { class: "p" }, known ? drawing(known.picture, known.words) : null);
  if (!known || isAbsent) {
    const attributes = known ? { class: "absent", "data-absent": pattern } : {};
    const name = make(
      "td",
      { class: known ? null : "soft", title: known ? known.words : null },
      reasonName(one, R.graphs.indexOf(graph)),
    );
    return make("tr", attributes, picture, name, ...cells);
  }
  const isMarked = state.marked === pattern;
  const count = graph.counts ? R.said[graph.counts[graph.present.indexOf(pattern)]] : "";
  const click = (event) => {
    event.stopPropagation();
    toggleMark(pattern);
  };
  const pressed = { "aria-pressed": String(isMarked), title: known.words, on: { click } };
  const name = make("button", pressed, known.text + (count ? `, ${count}` : ""));
  const attributes = { class: isMarked ? "on" : null, "data-pattern": pattern, on: { click } };
  return make("tr", attributes, picture, make("td", {}, name), ...cells);
}
// The largest reasons one by one, the others together.
function joined(list) {
  if (state.everyReason || list.length <= REASONS + 2) return list.map((one) => [one]);
  return [...list.slice(0, REASONS).map((one) => [one]), list.slice(REASONS)];
}
function othersRow(group, bar) {
  const click = () => {
    state.everyReason = true;
    showDetail();
  };
  const button = make("button", { class: "link", on: { click } }, `${group.length} smaller ones (show all)`);
  const sum = group.reduce((total, one) => total + one.value, 0);
  const cells = [make("td", { class: "w" }, bar), make("td", { class: "v" }, signed(sum))];
  return make("tr", {}, make("td", { class: "p" }), make("td", {}, button), ...cells);
}
function attributionTable(graph, list, q) {
  const base = entry().base[q];
  const groups = joined(list);
  const levels = [base];
  for (const group of groups) {
    levels.push(group.reduce((sum, one) => sum + one.value, levels[levels.length - 1]));
  }
  const range = [Math.min(...levels), Math.max(...levels)];
  const row = (group, at) => {
    const bar = waterfallBar(levels[at], levels[at + 1], range);
    return group.length === 1 ? attributionRow(graph, group[0], bar) : othersRow(group, bar);
  };
  const end = (name, amount, style) => {
    const bar = make("td", { class: "w" }, waterfallBar(amount, amount, range));
    return make(
      "tr",
      { class: style },
      make("td", {}),
      make("td", {}, name),
      bar,
      make("td", { class: "v" }, number(amount)),
    );
  };
  const total = levels[levels.length - 1];
  const output = graph.is_fitted_on ? "output (fitted)" : "output";
  const body = [
    end("base: mean of the background", base, "base"),
    ...groups.map(row),
    end(output, total, "sum"),
  ];
  return make("table", { class: "attributions" }, make("tbody", {}, ...body));
}
function drawingCaption(list) {
  if (state.marked !== null) return "The chosen subgraph is marked wherever it occurs.";
  if (!list.length) return "This graph does not differ from a typical one, so the output equals the base.";
  const [first] = list;
  const decided =
    first.pattern >= 0 && first.isAbsent
      ? `Decided by the absence of ${R.patterns[first.pattern].text} (${signed(first.value)}), ` +
        "which a drawing cannot show. "
      : "";
  if (!list.some((one) => one.pattern >= 0 && !one.isAbsent)) {
    return `${decided}The graph contains none of the model's subgraphs.`;
  }
  return `${decided}Orange parts raise the output, blue ones lower it. Choose a subgraph to see where it occurs.`;
}
function method(q) {
  const how = entry().error
    ? ` Sampled, with standard errors of at most ${short(entry().error)}.`
    : " Exact.";
  return (
    `Shapley values of the ${R.quantities[q].name}. Baseline: the background, a sample of the training graphs stored ` +
    `in the model; the base is its mean output.${how}`
  );
}
// Which class is explained, where there are several.
function classSelect(q) {
  const own = quantitiesOf(quantity().task);
  if (own.length < 2) return null;
  const change = (event) => {
    state.explained = Number(event.target.value);
    showDetail();
  };
  const option = (at) =>
    make("option", { value: at, selected: at === q }, task().classes[R.quantities[at].class]);
  return make(
    "label",
    { class: "soft" },
    "explain class ",
    make("select", { on: { change } }, ...own.map(option)),
  );
}
// At other sizes than the selected one only some graphs are explained.
function unexplained(row) {
  const near = entry().explained.find((one) => one > row) ?? entry().explained[entry().explained.length - 1];
  const show = make(
    "button",
    { class: "link", on: { click: () => open(near, null) } },
    `graph ${R.graphs[near].id}`,
  );
  const back = make("button", { class: "link", on: { click: () => choose(R.chosen) } }, "selected size");
  const words = `At this size, ${entry().explained.length} of ${graphs(R.graphs.length)} are explained, such as `;
  return note(words, show, "; at the ", back, ", all are.");
}
function reasons(row, q) {
  const list = attributions(row, q);
  const graph = R.graphs[row];
  return [
    classSelect(q),
    note(drawingCaption(list)),
    make("p", { class: "why" }, (isWrong(row) ? wrongSentence : reasonSentence)(row, list, q)),
    attributionTable(graph, list, q),
    make("p", { class: "note below" }, method(q) + fittedSentence(row)),
  ];
}
function showDetail() {
  const [row, graph] = [state.graph, R.graphs[state.graph]];
  const q = explainedQuantity(row);
  const children = [
    make("h3", {}, `Graph ${graph.id}`),
    make("p", { class: isWrong(row) ? "verdict no" : "verdict" }, summary(row)),
    make("div", { class: "big" }, graphDrawing(row, state.marked, q)),
    ...(isExplained(row) ? reasons(row, q) : [unexplained(row)]),
    R.entries.length > 1 ? predictionPath(row, q) : null,
  ];
  fill("detail", ...children.filter((child) => child !== null));
}
