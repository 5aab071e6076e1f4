// Shows what the report computed. Text is always set as text; only drawings, made and escaped by the program, are markup.
"use strict";
const R = JSON.parse(document.getElementById("report-data").textContent);
const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const state = { entry: R.chosen, quantity: 0, graph: 0, page: 0, sort: "id", up: true, text: "", part: "", truth: "", wrong: false, marked: null, order: "importance", every: false };
const PAGE = 20;
const CARDS = 24;

/* Small helpers ------------------------------------------------------------------------------------------------ */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "on") for (const [event, act] of Object.entries(value)) element.addEventListener(event, act);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}
function shape(tag, attributes, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}
function fill(id, ...children) { $(id).replaceChildren(...children); }
const number = (value, digits = 3) => (value === undefined || value === null || Number.isNaN(value) ? "–" : value.toFixed(digits).replace(/^-/, "−"));
const signed = (value) => (value < 0 ? "−" : "+") + Math.abs(value).toFixed(3);
const percent = (value) => (100 * value).toFixed(1) + " %";
const times = (ratio) => (ratio >= 1 ? `× ${Number(ratio.toPrecision(2))}` : `÷ ${Number((1 / ratio).toPrecision(2))}`);
const metricName = () => (R.meanings.find(([key]) => key === R.shuffled) || ["", "metric"])[1];
function short(value) {
  const size = Math.abs(value);
  return size >= 1000 || (size > 0 && size < 0.001) ? value.toPrecision(3) : String(Number(value.toPrecision(4)));
}

/* Drawings ----------------------------------------------------------------------------------------------------- */
function drawing([width, height, body], title, extra) {
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "drawing", role: "img", "aria-label": title });
  svg.innerHTML = body;
  if (extra) svg.prepend(...extra);
  return svg;
}
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
function covered(text) {
  const edges = [];
  for (let at = 0; at < text.length; at++) {
    const bits = LETTERS.indexOf(text[at]);
    for (let bit = 0; bit < 6; bit++) if (bits & (1 << bit)) edges.push(6 * at + bit);
  }
  return edges;
}
function edgePath(graph, edges) {
  const at = (vertex) => `${graph.points[2 * vertex]} ${graph.points[2 * vertex + 1]}`;
  return edges.map((edge) => `M${at(graph.ends[2 * edge])}L${at(graph.ends[2 * edge + 1])}`).join("");
}
// A graph with one pattern marked, or with every edge in the colour of its share.
function graphDrawing(row, marked) {
  const graph = R.graphs[row];
  const extra = [];
  if (graph.points.length && marked !== null) {
    const at = graph.present.indexOf(marked);
    if (at >= 0) extra.push(shape("path", { class: "h", d: edgePath(graph, covered(graph.cover[at])) }));
  } else if (graph.points.length) {
    const share = new Array(graph.ends.length / 2).fill(0);
    for (const { pattern, value } of reasons(row).filter((one) => one.pattern >= 0)) {
      const edges = covered(graph.cover[graph.present.indexOf(pattern)]);
      for (const edge of edges) share[edge] += value / edges.length;
    }
    // Edges of about the same share are one shape, so that they do not darken each other where they meet.
    const largest = Math.max(1e-9, ...share.map(Math.abs));
    for (const sign of [1, -1]) for (let level = 1; level <= 4; level++) {
      const edges = share.map((_, edge) => edge).filter((edge) => share[edge] * sign > 0.04 * largest && Math.ceil((4 * Math.abs(share[edge])) / largest) === level);
      if (edges.length) extra.push(shape("path", { class: sign > 0 ? "heat-plus" : "heat-minus", d: edgePath(graph, edges), "stroke-width": 15, "stroke-opacity": 0.06 + 0.13 * level }));
    }
  }
  return drawing(graph.picture, `drawing of graph ${graph.id}`, extra);
}

/* What the model says ------------------------------------------------------------------------------------------ */
const entry = () => R.entries[state.entry];
const quantity = () => R.quantities[state.quantity];
const task = () => R.tasks[quantity().task];
const width = R.quantities.length;
const value = (row, q, at = state.entry) => R.entries[at].predictions[row * width + q];
function quantitiesOf(index) { return R.quantities.map((q, at) => [q, at]).filter(([q]) => q.task === index).map(([, at]) => at); }
// Probabilities of all classes of the task in view.
function probabilities(row, at = state.entry) {
  const own = quantitiesOf(quantity().task);
  if (task().classes.length === 2) { const second = value(row, own[0], at); return [1 - second, second]; }
  return own.map((q) => value(row, q, at));
}
function predicted(row, at = state.entry) {
  if (!task().classes.length) return value(row, quantitiesOf(quantity().task)[0], at);
  const all = probabilities(row, at);
  return all.indexOf(Math.max(...all));
}
const truth = (row) => R.graphs[row].truth[quantity().task];
const isWrong = (row) => truth(row) !== null && task().classes.length > 0 && truth(row) !== predicted(row);
// Shares of the patterns that are present, the largest first.
function reasons(row) {
  const inside = new Map(entry().patterns.map((pattern, at) => [pattern, at]));
  const shares = entry().shares[row];
  const found = R.graphs[row].present.filter((pattern) => inside.has(pattern));
  found.sort((a, b) => inside.get(a) - inside.get(b));
  const list = found.map((pattern, at) => ({ pattern, value: shares[at * width + state.quantity] }));
  if (R.beside) list.push({ pattern: -1, value: shares[found.length * width + state.quantity] });
  return list.sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
}

/* Headline ----------------------------------------------------------------------------------------------------- */
const PARTS = { train: "training", valid: "validation", test: "test", all: "all graphs given" };
function metricParts() {
  const known = entry().metrics.filter(([, values]) => Object.keys(values).length);
  return known.length > 1 ? known.filter(([part]) => part !== "all") : known;
}
function showMetrics() {
  const parts = metricParts();
  const count = entry().patterns.length;
  const figures = make("div", { class: "figures" });
  const figure = (n, k) => figures.append(make("div", { class: "figure" }, make("div", { class: "n" }, n), make("div", { class: "k" }, k)));
  figure(String(count), count === 1 ? "subgraph decides" : "subgraphs decide");
  const best = parts.find(([part]) => part === "test") || parts.find(([part]) => part === "valid") || parts[0];
  const named = R.meanings.filter(([key]) => parts.some(([, values]) => key in values));
  if (best) {
    const lead = R.tasks.every((one) => one.classes.length) ? ["accuracy", "auc"] : R.tasks.every((one) => !one.classes.length) ? ["rmse", "r2"] : ["accuracy", "rmse"];
    for (const key of lead) if (key in best[1]) {
      const [, name] = R.meanings.find(([known]) => known === key);
      figure(key === "accuracy" ? percent(best[1][key]) : number(best[1][key]), `${name}, ${PARTS[best[0]]}`);
    }
  }
  figure(String(R.total), "graphs");
  const children = [figures];
  if (R.beside) children.push(make("p", { class: "note" }, `Besides the subgraphs the model reads a ${R.beside} of each graph. Its part in every prediction is shown with the graph; rules and importances below tell of the subgraphs alone.`));
  if (!best) children.push(make("p", { class: "note" }, "The data have no truth to compare with, so there are predictions and reasons, but no metrics."));
  else {
    const head = make("tr", {}, make("th", { scope: "col" }, "metric"), ...parts.map(([part]) => make("th", { scope: "col", class: "num" }, PARTS[part])), make("th", { scope: "col" }, "what it means"));
    const rows = named.map(([key, name, sentence]) => make("tr", {}, make("th", { scope: "row" }, name, make("small", { class: "phone" }, sentence)), ...parts.map(([, values]) => make("td", { class: "num", "data-metric": key }, number(values[key]))), make("td", { class: "soft" }, sentence)));
    children.push(make("div", { class: "scroll" }, make("table", { id: "metric-table" }, make("thead", {}, head), make("tbody", {}, ...rows))));
  }
  fill("metrics", ...children);
}

/* Charts ------------------------------------------------------------------------------------------------------- */
function ticks(low, high, wanted) {
  if (!(high > low)) { high = low + (Math.abs(low) || 1); }
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough);
  const found = [];
  for (let at = Math.ceil(low / step - 1e-9) * step; at <= high + 1e-9 * step; at += step) found.push(Number(at.toPrecision(12)));
  return found;
}
function plot({ wide = 520, high = 300, x, y, xName, yName, xTicks, label }) {
  const box = { left: 62, right: wide - 14, top: 14, bottom: high - 46 };
  const svg = shape("svg", { viewBox: `0 0 ${wide} ${high}`, class: "chart", role: "img", "aria-label": label });
  const px = (v) => box.left + ((v - x[0]) / (x[1] - x[0] || 1)) * (box.right - box.left);
  const py = (v) => box.bottom - ((v - y[0]) / (y[1] - y[0] || 1)) * (box.bottom - box.top);
  for (const tick of ticks(y[0], y[1], 5)) {
    svg.append(shape("path", { class: "axis", d: `M${box.left} ${py(tick)}H${box.right}` }), shape("text", { x: box.left - 8, y: py(tick) + 4, "text-anchor": "end" }, short(tick)));
  }
  for (const [at, text] of xTicks || ticks(x[0], x[1], 6).map((tick) => [tick, short(tick)])) {
    svg.append(shape("text", { x: px(at), y: box.bottom + 18, "text-anchor": "middle" }, text));
  }
  svg.append(shape("path", { class: "axis", d: `M${box.left} ${box.bottom}H${box.right}` }));
  svg.append(shape("text", { x: (box.left + box.right) / 2, y: high - 8, "text-anchor": "middle", class: "title" }, xName));
  svg.append(shape("text", { x: 14, y: (box.top + box.bottom) / 2, "text-anchor": "middle", class: "title", transform: `rotate(-90 14 ${(box.top + box.bottom) / 2})` }, yName));
  return { svg, px, py, box };
}
function showPath() {
  const [, name] = R.meanings.find(([key]) => key === R.metric);
  const lines = ["train", "valid", "test", "all"].map((part) => [part, R.entries.map((one) => (one.metrics.find(([known]) => known === part) || [0, {}])[1][R.metric])]).filter(([part, values]) => values.some((v) => v !== undefined) && (part !== "all" || R.entries.every((one) => one.metrics.filter(([, m]) => Object.keys(m).length).length < 2)));
  $("path-note").textContent = "Every model of the path is kept. Choose one here, or with the slider above: the whole page follows.";
  const values = lines.flatMap(([, list]) => list).filter((v) => v !== undefined);
  if (!values.length) { fill("path-chart", sizeButtons()); return; }
  const margin = (Math.max(...values) - Math.min(...values)) * 0.08 || 0.05;
  const range = [Math.min(...values) - margin, Math.max(...values) + margin];
  const wide = Math.max(340, Math.min(1060, $("path-chart").clientWidth || 900));
  const last = R.entries.length - 1;
  const { svg, px, py, box } = plot({ wide, high: 270, x: [-0.3, last + 0.3], y: range, xName: "number of subgraphs", yName: name, xTicks: R.entries.map((one, at) => [at, String(one.patterns.length)]), label: `${name} against the number of subgraphs` });
  svg.append(shape("path", { d: `M${px(state.entry)} ${box.top}V${box.bottom}`, stroke: "var(--accent)", "stroke-width": 18, "stroke-opacity": 0.14 }));
  for (const [part, list] of lines) {
    const colour = `var(--${part === "all" ? "test" : part})`;
    const known = list.map((v, at) => [at, v]).filter(([, v]) => v !== undefined);
    svg.append(shape("path", { d: "M" + known.map(([at, v]) => `${px(at).toFixed(1)} ${py(v).toFixed(1)}`).join("L"), fill: "none", stroke: colour, "stroke-width": 2 }));
    for (const [at, v] of known) svg.append(shape("circle", { cx: px(at), cy: py(v), r: at === state.entry ? 5 : 3.2, fill: colour }));
  }
  R.entries.forEach((one, at) => {
    const step = (box.right - box.left) / R.entries.length;
    const target = shape("rect", { class: "pt", x: px(at) - step / 2, y: box.top, width: step, height: box.bottom - box.top + 24, fill: "transparent" });
    target.append(shape("title", {}, `${one.patterns.length} subgraphs: ` + lines.map(([part, list]) => `${PARTS[part]} ${number(list[at])}`).join(", ")));
    target.addEventListener("click", () => choose(at));
    svg.append(target);
  });
  const keys = make("p", { class: "note" }, ...lines.map(([part]) => make("span", { class: "key" }, make("i", { style: `background:var(--${part === "all" ? "test" : part})` }), PARTS[part])), make("span", {}, `chosen on the validation part: ${R.entries[R.chosen].patterns.length}`));
  fill("path-chart", svg, keys);
}
function sizeButtons() {
  return make("div", { class: "tools" }, ...R.entries.map((one, at) => make("button", { class: "plain", on: { click: () => choose(at) } }, String(one.patterns.length))));
}

/* Gallery ------------------------------------------------------------------------------------------------------ */
function classKeys(names) { return make("p", { class: "note" }, ...names.map((name, at) => make("span", { class: "key" }, make("i", { class: `k${at % 8}` }), name))); }
const ORDERS = [["importance", "importance in a forest"], ["permutation", "loss when shuffled"], ["weights", "weight"], ["support", "graphs that contain it"], ["edges", "number of edges"]];
function showGallery() {
  const now = entry();
  const slot = Math.max(0, [...new Set(R.quantities.map((q) => q.task))].indexOf(quantity().task));
  const importance = now.importance[slot] || now.weights;
  const key = { importance, permutation: now.permutation || importance, weights: now.weights, support: now.patterns.map((p) => R.patterns[p].support), edges: now.patterns.map((p) => R.patterns[p].edges) }[state.order];
  const order = now.patterns.map((_, at) => at).sort((a, b) => key[b] - key[a] || a - b);
  const top = Math.max(1e-9, ...importance);
  const heavy = Math.max(1e-9, ...now.weights);
  const few = state.every ? order : order.slice(0, CARDS);
  const cards = few.map((at, rank) => {
    const pattern = R.patterns[now.patterns[at]];
    const row = (k, share, v) => [make("span", { class: "k" }, k), make("span", { class: "meter" }, make("i", { style: `width:${Math.max(0, Math.min(100, 100 * share)).toFixed(1)}%` })), make("span", { class: "v" }, v)];
    const facts = make("div", { class: "kv" }, ...row("importance", importance[at] / top, percent(importance[at])), ...row("weight", now.weights[at] / heavy, number(now.weights[at], 2)));
    if (now.permutation) facts.append(make("span", { class: "k two" }, `${metricName()} if shuffled`), make("span", { class: "v" }, signed(["loss", "rmse", "mae"].includes(R.shuffled) ? now.permutation[at] : -now.permutation[at])));
    if (pattern.odds !== null) facts.append(make("span", { class: "k two" }, `odds of ${R.tasks[0].classes[1]} with it`), make("span", { class: "v" }, times(pattern.odds)));
    const card = make("article", { class: "card", "data-pattern": now.patterns[at] }, make("div", { class: "rank" }, make("b", {}, `#${rank + 1}`), make("span", {}, `in ${pattern.support} training graphs`)), make("div", { class: "pic" }, drawing(pattern.picture, `drawing of ${pattern.text}`)), make("div", { class: "name", title: pattern.text }, pattern.text), facts);
    pattern.by_class.forEach((counts, index) => {
      const total = counts.reduce((a, b) => a + b, 0) || 1;
      const names = R.tasks.filter((one) => one.classes.length)[index].classes;
      if (index === 0) card.append(make("div", {}, make("div", { class: "bars", role: "img", "aria-label": counts.map((c, k) => `${names[k]}: ${c}`).join(", ") }, ...counts.map((c, k) => make("i", { class: `k${k % 8}`, style: `width:${(100 * c) / total}%` }))), make("div", { class: "soft", style: "margin:3px 0 0;font-size:12px" }, counts.map((c, k) => `${names[k]}: ${c}`).join(" · "))));
    });
    const more = make("details", {}, make("summary", {}, pattern.alike > 1 ? `${pattern.alike} alike in these data` : "more"));
    const figure = (picture, text) => make("figure", {}, drawing(picture, text), make("figcaption", {}, text));
    if (pattern.alike > 1) more.append(make("p", { class: "soft" }, "The training graphs cannot tell these subgraphs apart; the smallest stands for all."));
    if (pattern.minimal.length + pattern.maximal.length) more.append(make("div", { class: "members" }, ...pattern.minimal.map((p) => figure(p, "also smallest")), ...pattern.maximal.map((p) => figure(p, "largest"))));
    if (pattern.smarts) more.append(make("p", { class: "name" }, `SMARTS ${pattern.smarts}`));
    if (pattern.examples.length) more.append(make("p", { class: "examples" }, "in ", ...pattern.examples.map((graph) => make("button", { class: "link", on: { click: () => open(graph, now.patterns[at]) } }, R.graphs[graph].id))));
    card.append(more);
    return card;
  });
  const names = (R.tasks.find((one) => one.classes.length) || { classes: [] }).classes;
  fill("gallery", ...(names.length ? [classKeys(names)] : []), make("div", { class: "cards" }, ...cards));
  if (few.length < order.length) $("gallery").append(make("p", {}, make("button", { class: "plain", id: "every", on: { click: () => { state.every = true; showGallery(); } } }, `show all ${order.length}`)));
}
function showLegend() {
  if (!R.legend.length) return;
  const dot = (style) => { const svg = shape("svg", { viewBox: "0 0 20 20", class: "drawing", "aria-hidden": "true" }); svg.append(shape("path", { d: "M10 10h0", class: `o ${style}` })); return svg; };
  fill("legend", make("div", { class: "legend" }, ...R.legend.map(([name, style]) => make("span", {}, dot(style), name))));
}

/* Rules -------------------------------------------------------------------------------------------------------- */
function showTrees() {
  const tasks = [...new Set(R.quantities.map((q) => q.task))];
  const blocks = tasks.map((index, slot) => {
    const [root, fidelity] = entry().trees[slot];
    const names = R.tasks[index].classes;
    const answer = (node) => {
      if (!names.length) return [make("span", {}, short(node.v[0])), make("small", {}, `${node.n} graphs`)];
      const best = node.v.indexOf(Math.max(...node.v));
      return [make("span", {}, names[best]), make("small", {}, `${node.n} graphs` + (node.v[best] < 0.9995 ? `, ${percent(node.v[best])}` : ""))];
    };
    const draw = (node, way) => {
      const label = way ? make("span", { class: "way" }, way) : null;
      if (node.p === undefined) return make("li", {}, label, make("div", { class: "leaf" }, ...answer(node)));
      const pattern = R.patterns[entry().patterns[node.p]];
      const question = make("div", { class: "q" }, drawing(pattern.picture, pattern.text), make("small", {}, `${node.k === 1 ? "contained?" : `at least ${node.k} times?`} · ${node.n} graphs`));
      return make("li", {}, label, question, make("ul", {}, draw(node.yes, "yes"), draw(node.no, "no")));
    };
    const counts = (node) => node.p !== undefined && (node.k > 1 || counts(node.yes) || counts(node.no));
    const often = counts(root) ? ", or how often," : "";
    const sentence = names.length ? `A tree that only asks whether${often} subgraphs are contained repeats ${percent(fidelity)} of the model's predictions.` : `A tree that only asks whether${often} subgraphs are contained explains ${percent(fidelity)} of the variance of the model's predictions.`;
    return make("div", {}, tasks.length > 1 ? make("h3", {}, R.tasks[index].name) : null, make("p", { class: "note" }, sentence), make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "decision tree" }, make("ul", { class: "tree" }, draw(root, null))));
  });
  fill("trees", ...blocks);
}

/* Errors ------------------------------------------------------------------------------------------------------- */
function judged() {
  const rows = R.graphs.map((_, row) => row).filter((row) => truth(row) !== null);
  for (const part of ["test", "valid"]) { const own = rows.filter((row) => R.graphs[row].part === part); if (own.length) return [own, `the ${PARTS[part]} part` + (part === "valid" && R.seen ? ", from which the model has learnt after the choice; the metrics above tell how good it was before" : "")]; }
  return [rows, "all graphs shown"];
}
function confusion(rows) {
  const names = task().classes;
  const counts = names.map(() => names.map(() => 0));
  for (const row of rows) counts[truth(row)][predicted(row)] += 1;
  const head = make("tr", {}, make("td", {}), ...names.map((name) => make("th", { scope: "col" }, name)));
  const body = counts.map((line, at) => {
    const total = line.reduce((a, b) => a + b, 0) || 1;
    return make("tr", {}, make("th", { scope: "row" }, names[at]), ...line.map((count, k) => make("td", { style: `background:color-mix(in srgb,var(--${at === k ? "good" : "bad"}) ${Math.round((60 * count) / total)}%,var(--bg))` }, String(count))));
  });
  return make("div", {}, make("h3", {}, "Truth (rows) against prediction"), make("div", { class: "scroll" }, make("table", { class: "matrix", id: "confusion" }, make("thead", {}, head), make("tbody", {}, ...body))));
}
function calibration(rows) {
  const bins = Array.from({ length: 10 }, () => ({ n: 0, p: 0, hit: 0 }));
  for (const row of rows) {
    const all = probabilities(row);
    const judge = all.length === 2 ? [[all[1], truth(row) === 1]] : all.map((p, k) => [p, truth(row) === k]);
    for (const [p, hit] of judge) { const bin = bins[Math.min(9, Math.floor(10 * p))]; bin.n += 1; bin.p += p; bin.hit += hit ? 1 : 0; }
  }
  const { svg, px, py } = plot({ wide: 420, high: 300, x: [0, 1], y: [0, 1], xName: "predicted probability", yName: "observed share", label: "calibration" });
  svg.append(shape("path", { d: `M${px(0)} ${py(0)}L${px(1)} ${py(1)}`, stroke: "var(--soft)", "stroke-dasharray": "4 4", fill: "none" }));
  const most = Math.max(...bins.map((bin) => bin.n), 1);
  for (const bin of bins.filter((one) => one.n)) {
    const dot = shape("circle", { cx: px(bin.p / bin.n), cy: py(bin.hit / bin.n), r: 3 + 8 * Math.sqrt(bin.n / most), fill: "var(--accent)", "fill-opacity": 0.75 });
    dot.append(shape("title", {}, `${bin.n} predictions: mean ${percent(bin.p / bin.n)}, observed ${percent(bin.hit / bin.n)}`));
    svg.append(dot);
  }
  const of = task().classes.length === 2 ? ` of ${task().classes[1]}` : "";
  return make("div", {}, make("h3", {}, `Are probabilities${of} to be believed?`), svg, make("p", { class: "note" }, "On the dashed line they are. Larger dots stand for more predictions."));
}
function residuals(rows) {
  const pairs = rows.map((row) => [truth(row), predicted(row), row]);
  const all = pairs.flatMap(([t, p]) => [t, p]);
  const range = [Math.min(...all), Math.max(...all)];
  const scatter = plot({ wide: 420, high: 300, x: range, y: range, xName: `true ${task().name}`, yName: "predicted", label: "prediction against truth" });
  scatter.svg.append(shape("path", { d: `M${scatter.px(range[0])} ${scatter.py(range[0])}L${scatter.px(range[1])} ${scatter.py(range[1])}`, stroke: "var(--soft)", "stroke-dasharray": "4 4", fill: "none" }));
  const gaps = pairs.map(([t, p]) => p - t);
  const reach = Math.max(...gaps.map(Math.abs), 1e-9);
  const rest = plot({ wide: 420, high: 300, x: range, y: [-reach, reach], xName: `true ${task().name}`, yName: "predicted − true", label: "residuals" });
  rest.svg.append(shape("path", { d: `M${rest.px(range[0])} ${rest.py(0)}H${rest.px(range[1])}`, stroke: "var(--soft)", "stroke-dasharray": "4 4" }));
  for (const [t, p, row] of pairs) {
    for (const [chart, y] of [[scatter, p], [rest, p - t]]) {
      const dot = shape("circle", { cx: chart.px(t).toFixed(1), cy: chart.py(y).toFixed(1), r: 3.2, fill: "var(--accent)", "fill-opacity": 0.55, class: "pt" });
      dot.append(shape("title", {}, `${R.graphs[row].id}: true ${short(t)}, predicted ${short(p)}`));
      dot.addEventListener("click", () => open(row, null));
      chart.svg.append(dot);
    }
  }
  return [make("div", {}, make("h3", {}, "Prediction against truth"), scatter.svg), make("div", {}, make("h3", {}, "What is left over"), rest.svg)];
}
function showCharts() {
  const [rows, where] = judged();
  if (!rows.length) { fill("charts", make("p", { class: "note" }, "Without truth there is nothing to compare.")); return; }
  const parts = task().classes.length ? [confusion(rows), calibration(rows)] : residuals(rows);
  fill("charts", make("p", { class: "note" }, `${rows.length} graphs: ${where}` + (R.tasks.length > 1 ? `, target ${task().name}.` : ".")), make("div", { class: "charts" }, ...parts));
}

/* Table -------------------------------------------------------------------------------------------------------- */
function columns() {
  const list = [["id", "graph", (row) => R.graphs[row].id]];
  if (R.graphs.some((graph) => graph.part)) list.push(["part", "part", (row) => R.graphs[row].part]);
  if (R.graphs.some((_, row) => truth(row) !== null)) list.push(["truth", "truth", (row) => truth(row)]);
  list.push(["predicted", "predicted", (row) => predicted(row)]);
  if (task().classes.length) list.push(["sure", "probability", (row) => Math.max(...probabilities(row))]);
  else if (R.graphs.some((_, row) => truth(row) !== null)) list.push(["error", "error", (row) => (truth(row) === null ? null : predicted(row) - truth(row))]);
  list.push(["found", "subgraphs", (row) => reasons(row).filter((one) => one.pattern >= 0).length]);
  return list;
}
function cellText(key, content, row) {
  if (content === null || content === undefined) return "–";
  if (key === "truth" || key === "predicted") return task().classes.length ? task().classes[content] : number(content);
  if (key === "sure") return percent(content);
  if (key === "error") return signed(content);
  return String(content);
}
function visible() {
  const wanted = state.text.toLowerCase();
  const rows = R.graphs.map((_, row) => row).filter((row) => (!wanted || R.graphs[row].id.toLowerCase().includes(wanted)) && (!state.part || R.graphs[row].part === state.part) && (state.truth === "" || String(truth(row)) === state.truth) && (!state.wrong || isWrong(row)));
  const column = columns().find(([key]) => key === state.sort) || columns()[0];
  const keys = new Map(rows.map((row) => [row, column[2](row)]));
  const collate = new Intl.Collator("en", { numeric: true });
  const compare = (a, b) => { const [x, y] = [keys.get(a), keys.get(b)]; if (x === null) return 1; if (y === null) return -1; return typeof x === "string" ? collate.compare(x, y) : x - y; };
  rows.sort((a, b) => (state.up ? compare(a, b) : compare(b, a)) || a - b);
  return rows;
}
function showTable() {
  const rows = visible();
  const pages = Math.max(1, Math.ceil(rows.length / PAGE));
  state.page = Math.min(state.page, pages - 1);
  const list = columns();
  const isNumber = (key) => ["sure", "error", "found"].includes(key) || (!task().classes.length && (key === "truth" || key === "predicted"));
  const head = make("tr", {}, ...list.map(([key, name]) => make("th", { scope: "col", class: isNumber(key) ? "num" : null, "data-key": key, "aria-sort": state.sort === key ? (state.up ? "ascending" : "descending") : "none" }, make("button", { on: { click: () => { state.up = state.sort === key ? !state.up : !["sure", "found"].includes(key); state.sort = key; state.page = 0; showTable(); } } }, name))));
  $("table").tHead.replaceChildren(head);
  const body = rows.slice(state.page * PAGE, (state.page + 1) * PAGE).map((row) => make("tr", { "data-row": row, "aria-selected": String(row === state.graph), on: { click: () => open(row, null) } }, ...list.map(([key, , get]) => {
    const text = cellText(key, get(row), row);
    const mark = key === "predicted" && truth(row) !== null && task().classes.length ? (isWrong(row) ? " no right-wrong" : " ok right-wrong") : "";
    return make("td", { class: (isNumber(key) ? "num" : "") + mark, title: key === "id" ? text : null }, key === "id" ? make("button", { class: "link", on: { click: (event) => { event.stopPropagation(); open(row, null); } } }, text) : text);
  })));
  $("table").tBodies[0].replaceChildren(...body);
  const turn = (by, text, off) => make("button", { class: "plain", disabled: off, on: { click: () => { state.page += by; showTable(); } } }, text);
  fill("pager", turn(-1, "previous", state.page === 0), make("span", {}, `${rows.length ? state.page * PAGE + 1 : 0}–${Math.min(rows.length, (state.page + 1) * PAGE)} of ${rows.length}`), turn(1, "next", state.page >= pages - 1));
}
function showFilters() {
  const again = () => { state.page = 0; showTable(); };
  const select = (name, options, key) => make("label", {}, name + " ", make("select", { id: `filter-${key}`, on: { change: (event) => { state[key] = event.target.value; again(); } } }, ...options.map(([value, text]) => make("option", { value }, text))));
  const children = [make("label", {}, "find ", make("input", { type: "search", id: "filter-text", size: 14, on: { input: (event) => { state.text = event.target.value; again(); } } }))];
  const parts = [...new Set(R.graphs.map((graph) => graph.part))].filter(Boolean);
  if (parts.length) children.push(select("part", [["", "all"], ...parts.map((part) => [part, PARTS[part]])], "part"));
  if (task().classes.length && R.graphs.some((_, row) => truth(row) !== null)) {
    children.push(select("truth", [["", "all"], ...task().classes.map((name, at) => [String(at), name])], "truth"));
    children.push(make("label", {}, make("input", { type: "checkbox", id: "filter-wrong", on: { change: (event) => { state.wrong = event.target.checked; again(); } } }), " only wrong ones"));
  }
  if (R.quantities.length > 1) children.push(make("label", {}, "explain ", make("select", { id: "quantity", on: { change: (event) => { state.quantity = Number(event.target.value); state.truth = ""; showAll(); showFilters(); $("quantity").value = String(state.quantity); } } }, ...R.quantities.map((q, at) => make("option", { value: at }, q.name)))));
  fill("filters", ...children);
}

/* One graph ---------------------------------------------------------------------------------------------------- */
function open(row, marked) {
  state.graph = row;
  state.marked = marked;
  showDetail();
  for (const line of $("table").tBodies[0].rows) line.setAttribute("aria-selected", String(Number(line.dataset.row) === row));
  if (window.innerWidth <= 860 || marked !== null) $("detail").scrollIntoView({ block: "nearest" });
}
function saying(row) {
  if (!task().classes.length) return number(predicted(row));
  const all = probabilities(row);
  return `${task().classes[predicted(row)]} (${percent(Math.max(...all))})`;
}
function along(row) {
  const q = task().classes.length === 2 || !task().classes.length ? quantitiesOf(quantity().task)[0] : state.quantity;
  const values = R.entries.map((_, at) => value(row, q, at));
  const range = task().classes.length ? [0, 1] : [Math.min(...values), Math.max(...values)];
  const name = task().classes.length ? `P(${task().classes[R.quantities[q].class]})` : task().name;
  const { svg, px, py } = plot({ wide: 460, high: 170, x: [-0.3, R.entries.length - 0.7], y: range, xName: "number of subgraphs", yName: name, xTicks: R.entries.map((one, at) => [at, String(one.patterns.length)]), label: "prediction along the path" });
  svg.append(shape("path", { d: "M" + values.map((v, at) => `${px(at).toFixed(1)} ${py(v).toFixed(1)}`).join("L"), fill: "none", stroke: "var(--accent)", "stroke-width": 2 }));
  values.forEach((v, at) => svg.append(shape("circle", { cx: px(at), cy: py(v), r: at === state.entry ? 5 : 3, fill: "var(--accent)" })));
  return svg;
}
function shareBar(share, largest) {
  return make("div", { class: "sb" }, make("i", { class: share < 0 ? "minus" : "plus", style: `width:${((50 * Math.abs(share)) / largest).toFixed(1)}%` }));
}
function showDetail() {
  const row = state.graph;
  const graph = R.graphs[row];
  const list = reasons(row);
  const base = entry().base[state.quantity];
  const total = list.reduce((sum, one) => sum + one.value, base);
  const largest = Math.max(1e-9, ...list.map((one) => Math.abs(one.value)));
  const facts = [`predicted ${saying(row)}`];
  if (truth(row) !== null) facts.push(`truth ${task().classes.length ? task().classes[truth(row)] : number(truth(row))}`);
  if (graph.part) facts.push(`${PARTS[graph.part]} part`);
  const mark = (pattern) => { state.marked = state.marked === pattern ? null : pattern; showDetail(); };
  const lines = list.map(({ pattern, value: share }) => {
    if (pattern < 0) return make("tr", {}, make("td", { class: "p soft" }, "\u2211"), make("td", {}, R.beside + ", beyond its average"), make("td", {}, shareBar(share, largest)), make("td", { class: "v" }, signed(share)));
    const known = R.patterns[pattern];
    const count = graph.counts ? graph.counts[graph.present.indexOf(pattern)] : 1;
    return make("tr", { class: state.marked === pattern ? "on" : null, "data-pattern": pattern, on: { click: () => mark(pattern) } }, make("td", { class: "p" }, drawing(known.picture, known.text)), make("td", {}, make("button", { "aria-pressed": String(state.marked === pattern), on: { click: (event) => { event.stopPropagation(); mark(pattern); } } }, known.text + (count !== 1 ? ` × ${count}` : ""))), make("td", {}, shareBar(share, largest)), make("td", { class: "v" }, signed(share)));
  });
  const ends = (name, amount, style) => make("tr", { class: style }, make("td", {}), make("td", {}, name), make("td", {}), make("td", { class: "v" }, number(amount)));
  const picture = make("div", { class: "big" }, graphDrawing(row, state.marked));
  const caption = state.marked !== null ? "The chosen subgraph is marked, wherever it occurs." : list.length ? "Orange parts raise the output, blue ones lower it. Choose a subgraph to see where it is." : "None of the model's subgraphs occurs in this graph, so its output is the base.";
  const how = `Shapley values of the ${quantity().name}; the base is a graph without any of the subgraphs (baseline: absent).` + (list.length > R.exact_up_to ? ` Means over ${2 * R.orders} orders.` : " Exact.");
  fill("detail", make("h3", {}, `Graph ${graph.id}`), make("p", { class: "note" }, facts.join(" · ")), picture, make("p", { class: "note" }, caption), make("table", { class: "shares" }, make("tbody", {}, ends("base", base, ""), ...lines, ends("output", total, "sum"))), make("p", { class: "note", style: "margin-top:8px" }, how), R.entries.length > 1 ? along(row) : null);
}

/* The rest ----------------------------------------------------------------------------------------------------- */
function showData() {
  fill("warnings", ...R.warnings.map((text) => make("p", { class: "warn" }, text)));
  const rows = R.facts.map(([name, text]) => make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, text)));
  const bars = R.balance.map(([name, counts]) => {
    const total = counts.reduce((sum, [, count]) => sum + count, 0) || 1;
    return make("div", { style: "margin:12px 0" }, make("h3", {}, name), make("div", { class: "bars", role: "img", "aria-label": "class balance" }, ...counts.map(([, count], at) => make("i", { class: `k${at % 8}`, style: `width:${(100 * count) / total}%` }))), classKeys(counts.map(([word, count]) => `${word}: ${count} (${percent(count / total)})`)));
  });
  fill("facts", make("div", { class: "scroll" }, make("table", {}, make("tbody", {}, ...rows))), ...bars);
  fill("made-list", ...R.made.filter(([, text]) => text).flatMap(([name, text]) => [make("dt", {}, name), make("dd", {}, name === "again" ? make("code", {}, text) : text)]));
}
function showAll() {
  showMetrics(); showPath(); showGallery(); showTrees(); showCharts(); showTable(); showDetail();
}
function choose(at) {
  state.entry = at;
  state.marked = null;
  $("size").value = String(at);
  showSize();
  showAll();
  $("live").textContent = `model of ${entry().patterns.length} subgraphs`;
}
function showSize() {
  const count = entry().patterns.length;
  $("size-out").textContent = String(count) + (state.entry === R.chosen ? " chosen" : "");
  $("size").setAttribute("aria-valuetext", `${count} subgraphs`);
}
$("size").max = String(R.entries.length - 1);
$("size").value = String(state.entry);
$("size").addEventListener("input", () => choose(Number($("size").value)));
$("gallery-sort").append(...ORDERS.filter(([key]) => key !== "permutation" || R.entries.every((one) => one.permutation)).map(([value, text]) => make("option", { value }, text)));
$("gallery-sort").addEventListener("change", (event) => { state.order = event.target.value; showGallery(); });
let timer = 0;
window.addEventListener("resize", () => { clearTimeout(timer); timer = setTimeout(showPath, 150); });
showLegend(); showFilters(); showData(); showSize();
state.graph = Math.max(0, R.graphs.findIndex((graph) => graph.part === "test"));
showAll();
