/* Surrogate decision trees, as an outline that fits any width -------------------------------------------------- */
const usesCounts = (node) =>
  node.pattern !== undefined && (node.count > 1 || usesCounts(node.yes) || usesCounts(node.no));
function leaf(node, names) {
  if (!names.length) return [make("b", {}, short(node.value[0])), ` for ${graphs(node.rows)}`];
  const best = node.value.indexOf(Math.max(...node.value));
  const part = node.value[best] < 0.9995 ? percent(node.value[best]) : "all";
  return [make("b", {}, names[best]), ` for ${graphs(node.rows)}; the model agrees on ${part} of them`];
}
function ruleNode(node, names, answer) {
  const way = answer ? make("span", { class: "way" }, answer) : null;
  if (node.pattern === undefined) {
    return make("li", {}, make("div", { class: "leaf" }, way, make("span", {}, "→ ", ...leaf(node, names))));
  }
  const pattern = R.patterns[entry().patterns[node.pattern]];
  const question = make(
    "div",
    { class: "q" },
    way,
    make("span", { class: "pic" }, drawing(pattern.picture, pattern.words)),
    make("span", {}, make("code", {}, pattern.text), ` ${countQuestion(node.count)} · ${graphs(node.rows)}`),
  );
  const branches = make("ul", {}, ruleNode(node.yes, names, "yes"), ruleNode(node.no, names, "no"));
  return make("li", {}, question, branches);
}
function fidelitySentence(root, fidelity, names) {
  const counts = R.feature === "mni" ? "minimum-image counts" : "counts of copies";
  const asks = usesCounts(root)
    ? `which subgraphs a graph contains, and their ${counts},`
    : "which subgraphs a graph contains";
  const does = names.length ? "reproduces" : "explains";
  const part = names.length ? "of the model's predictions" : "of the variance of the model's predictions";
  const warning = fidelity < 0.8 ? " That is too low to stand for the model: read it as a rough sketch." : "";
  return `Fidelity: a decision tree that asks only ${asks} ${does} ${percent(fidelity)} ${part}.${warning}`;
}
// The chosen depth, or the smallest one whose fidelity is nearly that of the deepest tree.
function depthOf(trees) {
  const best = trees[trees.length - 1][1];
  const enough = trees.findIndex(([, fidelity]) => fidelity >= best - 0.02);
  return state.depth === null ? enough : Math.min(state.depth, trees.length - 1);
}
function depthButtons(trees, shown) {
  const button = ([, fidelity, depth], at) => {
    const click = () => {
      state.depth = at;
      showTrees();
    };
    const attributes = { class: "plain", "aria-pressed": String(at === shown), on: { click } };
    return make("button", attributes, `depth ${depth}: ${percent(fidelity)}`);
  };
  return make(
    "div",
    { class: "tools", role: "group", "aria-label": "depth of the tree" },
    ...trees.map(button),
  );
}
function showTrees() {
  const slot = Math.max(0, shownTasks.indexOf(quantity().task));
  const [trees, names] = [entry().trees[slot], R.tasks[shownTasks[slot]].classes];
  const shown = depthOf(trees);
  const [root, fidelity] = trees[shown];
  const title = shownTasks.length > 1 ? make("h3", {}, task().name) : null;
  const tools = trees.length > 1 ? depthButtons(trees, shown) : null;
  const tree = make("ul", { class: "tree" }, ruleNode(root, names, null));
  fill("trees", make("div", {}, title, note(fidelitySentence(root, fidelity, names)), tools, tree));
}
