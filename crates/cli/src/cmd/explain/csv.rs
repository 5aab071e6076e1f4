//! Attributions as CSV: one row per graph and quantity.

use super::Explanation;

impl Explanation<'_> {
    pub(super) fn csv(&self) -> String {
        let quote = |cell: String| {
            if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
        };
        let line = |cells: Vec<String>| cells.into_iter().map(quote).collect::<Vec<_>>().join(",") + "\n";
        let mut header = vec!["id".to_owned(), "quantity".to_owned(), "output".to_owned(), "base".to_owned()];
        header.extend(self.found.names.iter().cloned());
        let mut text = line(header);
        for (&row, graph) in self.rows.iter().zip(&self.found.graphs) {
            for (q, quantity) in self.found.quantities.iter().enumerate() {
                let mut cells = vec![self.subject.dataset.ids[row].clone(), quantity.name.clone()];
                cells.extend([graph.output[q], graph.base[q]].map(|value| value.to_string()));
                cells.extend((0..self.found.names.len()).map(|f| self.found.value(graph, f, q).to_string()));
                text += &line(cells);
            }
        }
        text
    }
}
