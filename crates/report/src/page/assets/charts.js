/* Charts ------------------------------------------------------------------------------------------------------- */
function ticks(low, high, wanted) {
  if (!(high > low)) high = low + (Math.abs(low) || 1);
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough);
  const found = [];
  // Whole multiples, so that zero is zero.
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + 1e-9 * step; at++) {
    found.push(Number((at * step).toPrecision(12)));
  }
  return found;
}
// An empty chart with axes; `px` and `py` turn values into coordinates.
function plot({ wide = 420, high = 300, x, y, xName, yName, xTicks, label }) {
  // The name of the axis, then its numbers, of letters about 8 wide.
  const longest = Math.max(...ticks(y[0], y[1], 5).map((tick) => short(tick).length));
  const box = { left: Math.max(62, 30 + 8 * longest), right: wide - 14, top: 14, bottom: high - 46 };
  const svg = shape("svg", {
    viewBox: `0 0 ${wide} ${high}`,
    class: "chart",
    role: "img",
    "aria-label": label,
  });
  const px = (v) => box.left + ((v - x[0]) / (x[1] - x[0] || 1)) * (box.right - box.left);
  const py = (v) => box.bottom - ((v - y[0]) / (y[1] - y[0] || 1)) * (box.bottom - box.top);
  for (const tick of ticks(y[0], y[1], 5)) {
    svg.append(shape("path", { class: "axis", d: `M${box.left} ${py(tick)}H${box.right}` }));
    svg.append(shape("text", { x: box.left - 8, y: py(tick) + 4, "text-anchor": "end" }, short(tick)));
  }
  // From the right, since the last one must be there; one that would touch the one beside it is left out.
  let free = Infinity;
  const labels = xTicks || ticks(x[0], x[1], 6).map((tick) => [tick, short(tick)]);
  for (const [at, text] of [...labels].reverse()) {
    const half = 4 * text.length + 2;
    if (!text || px(at) + half > free) continue;
    free = px(at) - half;
    svg.append(shape("text", { x: px(at), y: box.bottom + 18, "text-anchor": "middle" }, text));
  }
  const middle = (box.top + box.bottom) / 2;
  const title = { class: "title", "text-anchor": "middle" };
  svg.append(shape("path", { class: "axis", d: `M${box.left} ${box.bottom}H${box.right}` }));
  svg.append(shape("text", { ...title, x: (box.left + box.right) / 2, y: high - 8 }, xName));
  svg.append(shape("text", { ...title, x: 14, y: middle, transform: `rotate(-90 14 ${middle})` }, yName));
  return { svg, px, py, box };
}
// A line through points of a chart.
function curve({ px, py }, points, colour) {
  const d = "M" + points.map(([x, y]) => `${px(x).toFixed(1)} ${py(y).toFixed(1)}`).join("L");
  return shape("path", { d, fill: "none", stroke: colour, "stroke-width": 2 });
}
function dashed({ px, py }, [x0, y0], [x1, y1]) {
  return shape("path", {
    d: `M${px(x0)} ${py(y0)}L${px(x1)} ${py(y1)}`,
    stroke: "var(--soft)",
    "stroke-dasharray": "4 4",
    fill: "none",
  });
}
const sizeTicks = () => R.entries.map((one, at) => [at, String(one.patterns.length)]);
