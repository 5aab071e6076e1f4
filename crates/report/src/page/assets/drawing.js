/* Drawings ----------------------------------------------------------------------------------------------------- */
function drawing([width, height, body], title, under) {
  const box = { viewBox: `0 0 ${width} ${height}`, width, height };
  const svg = shape("svg", { ...box, class: "drawing", role: "img", "aria-label": title });
  svg.innerHTML = body;
  if (under) svg.prepend(...under);
  return svg;
}
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
// A set of numbers, six per character.
function unpacked(text) {
  const numbers = [];
  for (let at = 0; at < text.length; at++) {
    const bits = LETTERS.indexOf(text[at]);
    for (let bit = 0; bit < 6; bit++) if (bits & (1 << bit)) numbers.push(6 * at + bit);
  }
  return numbers;
}
// The parts of a graph are its edges, then its vertices.
const partsOf = (graph) => (graph.ends.length + graph.points.length) / 2;
// The parts that the occurrences of a subgraph cover.
const coveredBy = (graph, pattern) => unpacked(graph.cover[graph.present.indexOf(pattern)]);
function partPath(graph, parts) {
  const edges = graph.ends.length / 2;
  const at = (vertex) => `${graph.points[2 * vertex]} ${graph.points[2 * vertex + 1]}`;
  const path = (part) =>
    part < edges ? `M${at(graph.ends[2 * part])}L${at(graph.ends[2 * part + 1])}` : `M${at(part - edges)}h0`;
  return parts.map(path).join("");
}
// The share of each of these parts in the value of the subgraph: parts that more occurrences cover have more.
function sharesOf(graph, pattern, parts) {
  const letters = graph.shares ? graph.shares[graph.present.indexOf(pattern)] : "";
  if (!letters) return parts.map(() => 1 / parts.length);
  const levels = [...letters].map((letter) => LETTERS.indexOf(letter));
  const total = levels.reduce((sum, level) => sum + level, 0);
  return levels.map((level) => level / total);
}
// The attributions of all parts: each subgraph shares its own out over its place.
function partAttributions(row, q) {
  const graph = R.graphs[row];
  const sums = new Array(partsOf(graph)).fill(0);
  for (const { pattern, value } of presentAttributions(row, q)) {
    const parts = coveredBy(graph, pattern);
    sharesOf(graph, pattern, parts).forEach((share, at) => {
      sums[parts[at]] += value * share;
    });
  }
  // A part that the drawing lacks, or another number of shares than of parts: better no page than colours that mean
  // nothing.
  if (sums.length !== partsOf(graph) || !sums.every(Number.isFinite)) {
    throw new Error(`the colours of graph ${graph.id} are not numbers`);
  }
  return sums;
}
// Colours under edges and vertices. Parts of about the same attribution are one shape: they do not darken each other.
function heat(row, q) {
  const [graph, values, shapes] = [R.graphs[row], partAttributions(row, q), []];
  const largest = Math.max(1e-9, ...values.map(Math.abs));
  const edges = graph.ends.length / 2;
  const level = (part) => Math.ceil((4 * Math.abs(values[part])) / largest);
  for (const ofVertices of [false, true])
    for (const sign of [1, -1])
      for (let wanted = 1; wanted <= 4; wanted++) {
        const isIn = (part) =>
          part >= edges === ofVertices && values[part] * sign > 0.04 * largest && level(part) === wanted;
        const parts = values.map((_, part) => part).filter(isIn);
        const style = {
          class: sign > 0 ? "heat-plus" : "heat-minus",
          "stroke-width": ofVertices ? 24 : 15,
          "stroke-opacity": 0.06 + 0.13 * wanted,
        };
        if (parts.length) shapes.push(shape("path", { ...style, d: partPath(graph, parts) }));
      }
  return shapes;
}
// A graph with one subgraph marked, or with every part in the colour of its attribution.
function graphDrawing(row, marked, q = state.quantity) {
  const graph = R.graphs[row];
  let under = [];
  if (graph.points.length && marked === null) under = heat(row, q);
  else if (graph.points.length && graph.present.includes(marked)) {
    under = [shape("path", { class: "h", d: partPath(graph, coveredBy(graph, marked)) })];
  }
  return drawing(graph.picture, `drawing of graph ${graph.id}`, under);
}
