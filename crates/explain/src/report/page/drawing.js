/* Drawings ----------------------------------------------------------------------------------------------------- */
function drawing([width, height, body], title, under) {
  const box = { viewBox: `0 0 ${width} ${height}`, width, height };
  const svg = shape("svg", { ...box, class: "drawing", role: "img", "aria-label": title });
  svg.innerHTML = body;
  if (under) svg.prepend(...under);
  return svg;
}
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
// A set of edges, six per character.
function covered(text) {
  const edges = [];
  for (let at = 0; at < text.length; at++) {
    const bits = LETTERS.indexOf(text[at]);
    for (let bit = 0; bit < 6; bit++) if (bits & (1 << bit)) edges.push(6 * at + bit);
  }
  return edges;
}
const coveredBy = (graph, pattern) => covered(graph.cover[graph.present.indexOf(pattern)]);
function edgePath(graph, edges) {
  const at = (vertex) => `${graph.points[2 * vertex]} ${graph.points[2 * vertex + 1]}`;
  return edges.map((edge) => `M${at(graph.ends[2 * edge])}L${at(graph.ends[2 * edge + 1])}`).join("");
}
// The attributions of all edges: each subgraph spreads its own evenly over the edges that it covers.
function edgeAttributions(row) {
  const graph = R.graphs[row];
  const sums = new Array(graph.ends.length / 2).fill(0);
  for (const { pattern, value } of attributions(row).filter((one) => one.pattern >= 0)) {
    const edges = coveredBy(graph, pattern);
    for (const edge of edges) sums[edge] += value / edges.length;
  }
  return sums;
}
// Colours under the edges. Edges of about the same attribution are one shape, so that they do not darken each other.
function heat(row) {
  const [graph, values, shapes] = [R.graphs[row], edgeAttributions(row), []];
  const largest = Math.max(1e-9, ...values.map(Math.abs));
  const level = (edge) => Math.ceil((4 * Math.abs(values[edge])) / largest);
  for (const sign of [1, -1]) for (let wanted = 1; wanted <= 4; wanted++) {
    const isIn = (edge) => values[edge] * sign > 0.04 * largest && level(edge) === wanted;
    const edges = values.map((_, edge) => edge).filter(isIn);
    const style = { class: sign > 0 ? "heat-plus" : "heat-minus", "stroke-width": 15, "stroke-opacity": 0.06 + 0.13 * wanted };
    if (edges.length) shapes.push(shape("path", { ...style, d: edgePath(graph, edges) }));
  }
  return shapes;
}
// A graph with one subgraph marked, or with every edge in the colour of its attribution.
function graphDrawing(row, marked) {
  const graph = R.graphs[row];
  let under = [];
  if (graph.points.length && marked === null) under = heat(row);
  else if (graph.points.length && graph.present.includes(marked)) {
    under = [shape("path", { class: "h", d: edgePath(graph, coveredBy(graph, marked)) })];
  }
  return drawing(graph.picture, `drawing of graph ${graph.id}`, under);
}

