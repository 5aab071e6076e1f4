/* The first screen: what is predicted, how well, and by what --------------------------------------------------- */
// Sentences of the program have plain signs.
const withSigns = (text) => text.replace(/([( ])-(?=\d)/g, "$1−");
const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`;
// The number of the explained task among those with classes.
const classTask = () => R.tasks.slice(0, quantity().task).filter((one) => one.classes.length).length;
const effect = (at) => entry().effects[at][state.quantity];
// Whether nearly all graphs have a subgraph: its effect compares graphs with more of it than the mean with the others.
const isByAmount = (at) => entry().by_amount.includes(at);
const comparedName = (at) => (isByAmount(at) ? "more " : "") + R.patterns[entry().patterns[at]].text;
function amountNote(order) {
  const names = order.filter(isByAmount).map((at) => R.patterns[entry().patterns[at]].text);
  if (!names.length) return "";
  const all = names.join(", ");
  return ` Nearly all graphs have ${all}: here, graphs with more of it than average are compared with the others.`;
}
const intervalText = (ends) => `95 % interval ${signedShort(ends[0])} to ${signedShort(ends[1])}`;
// A bar from zero to the side of a value, with its interval as a line.
function effectBar(value, ends, largest) {
  const at = (v) => 50 + (50 * Math.max(-1, Math.min(1, v / largest))).valueOf();
  const [from, to] = [Math.min(50, at(value)), Math.max(50, at(value))];
  const bar = make("i", {
    class: value < 0 ? "minus" : "plus",
    style: `left:${from.toFixed(1)}%;width:${(to - from).toFixed(1)}%`,
  });
  const line = ends
    ? make("b", { style: `left:${at(ends[0]).toFixed(1)}%;width:${(at(ends[1]) - at(ends[0])).toFixed(1)}%` })
    : null;
  return make("span", { class: "eb", "aria-hidden": "true" }, bar, line);
}
const largestEffect = () => {
  const sizes = entry().patterns.flatMap((_, at) => {
    const ends = entry().intervals[at][state.quantity] || [];
    return [effect(at) || 0, ...ends].map(Math.abs);
  });
  return Math.max(1e-9, ...sizes);
};
function leader(at, largest) {
  const index = entry().patterns[at];
  const pattern = R.patterns[index];
  const [value, ends] = [effect(at), entry().intervals[at][state.quantity]];
  const go = () => {
    state.order = "effect";
    $("gallery-sort").value = "effect";
    showGallery();
    document.querySelector(`#gallery [data-pattern="${index}"]`).scrollIntoView({ block: "center" });
  };
  return make(
    "button",
    { class: "leader", "data-leader": index, title: pattern.words, on: { click: go } },
    make("span", { class: "pic" }, drawing(pattern.picture, pattern.words)),
    make("span", { class: "code" }, comparedName(at)),
    effectBar(value, ends, largest),
    make("span", { class: `amount ${value < 0 ? "down" : "up"}` }, signedShort(value)),
    make("span", { class: "tiny soft" }, ends ? intervalText(ends) : "no interval: few graphs"),
  );
}
function copiesNote(copies) {
  if (!copies) return "";
  return ` Not shown: ${subgraphs(copies)} in nearly the same graphs as one of these (correlation at least 0.8).`;
}
function leaders() {
  const [order, copies] = entry().leaders[state.quantity];
  if (!order.length) return [note("No subgraph changes the predictions for the graphs of this page.")];
  const largest = largestEffect();
  return [
    make("h3", {}, `What changes the ${outputName()} most`),
    make("div", { class: "leaders" }, ...order.map((at) => leader(at, largest))),
    note(
      `Effect: mean change of the ${outputName()} in graphs with the subgraph, compared with those without it ` +
        `(${entry().effects_of}), with its interval.${amountNote(order)}${copiesNote(copies)}` +
        ringNote(order.map((at) => entry().patterns[at])),
    ),
  ];
}
const ringNote = (patterns) =>
  patterns.some((pattern) => R.patterns[pattern].is_in_ring)
    ? " Grey: the rest of a ring, from one of the molecules; it is not part of the subgraph."
    : "";
// What is predicted, from how many graphs, and what guessing would give.
function showTarget() {
  const [target, balance, guessing] = R.stories[quantity().task];
  $("h-headline").textContent = `Predicts ${target} from ${subgraphs(entry().patterns.length)}`;
  const parts = [`${graphs(R.total)}${balance ? `; ${balance}` : ""}`];
  if (guessing) parts.push(guessing);
  const bar = isClassification() && R.class_counts.find(([name]) => name === task().name);
  const story = entry().stories[state.quantity];
  const text = parts.map(sentence).join(" ");
  fill("story", make("p", { class: "lead" }, withSigns(text)), ...(bar ? [balanceBar(bar)] : []));
  fill("leaders", ...(story ? [make("p", { class: "lead" }, withSigns(story))] : []), ...leaders());
}
function balanceBar([, counts]) {
  const label = counts.map(([name, count]) => `${name}: ${count}`).join(", ");
  return countBar(
    counts.map(([, count]) => count),
    label,
  );
}
