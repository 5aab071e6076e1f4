//! Properties of vertices from a table of the user: `graph,vertex,NAME1,NAME2,...`, one row per vertex.
//!
//! Promise: every vertex of every graph of the data has a row, or the file is refused with the line or the vertex; rows
//! of other graphs are ignored, so that one file serves a set, its parts and its subsets. An empty cell is no value.

use super::{DEGREE, ELEMENT, QualifierError, RING_PROPERTY};
use crate::dataset::Dataset;
use crate::dataset::properties::PropertyColumn;
use crate::read::lines::Lines;
use std::collections::BTreeMap;
use std::path::Path;

/// Names of what is computed.
const RESERVED: [&str; 3] = [DEGREE, RING_PROPERTY, ELEMENT];

/// Reads the columns of a file into the properties of a data set, and returns their names. A graph is called by its id,
/// or by its row in the source; vertices count from 0.
pub fn read_properties(dataset: &mut Dataset, path: &Path) -> Result<Vec<String>, QualifierError> {
    let mut lines = Lines::open(path)?;
    let names = read_header(&mut lines)?;
    let by_id: BTreeMap<&str, usize> = dataset.ids.iter().enumerate().map(|(at, id)| (id.as_str(), at)).collect();
    let rows = dataset.origins.iter().enumerate();
    let by_row: BTreeMap<String, usize> = rows.map(|(at, origin)| (origin.row.to_string(), at)).collect();
    let sizes: Vec<usize> = dataset.graphs.iter().map(einsicht_graph::Graph::num_vertices).collect();
    let blank = || sizes.iter().map(|&size| vec![None; size]).collect::<Vec<Vec<Option<String>>>>();
    let mut columns: Vec<_> = names.iter().map(|_| blank()).collect();
    let mut seen: Vec<Vec<bool>> = sizes.iter().map(|&size| vec![false; size]).collect();
    while lines.advance()? {
        if lines.bytes().trim_ascii().is_empty() {
            continue;
        }
        let cells = cells(&lines)?;
        if cells.len() != names.len() + 2 {
            let problem = format!("there must be {} cells, but there are {}", names.len() + 2, cells.len());
            return Err(problem_at(&lines, problem));
        }
        let found = by_id.get(cells[0].as_str()).or_else(|| by_row.get(&cells[0]));
        let Some(&graph) = found else { continue };
        let vertex = cells[1].parse::<usize>().ok().filter(|&vertex| vertex < sizes[graph]);
        let Some(vertex) = vertex else {
            let problem =
                format!("graph {:?} has {} vertices, from 0, but this is {:?}", cells[0], sizes[graph], cells[1]);
            return Err(problem_at(&lines, problem));
        };
        if std::mem::replace(&mut seen[graph][vertex], true) {
            let problem = format!(
                "each vertex may have one row, but this is the second one of vertex {vertex} of graph {:?}",
                cells[0]
            );
            return Err(problem_at(&lines, problem));
        }
        for (column, cell) in columns.iter_mut().zip(&cells[2..]) {
            column[graph][vertex] = Some(cell.clone()).filter(|cell| !cell.is_empty());
        }
    }
    for (graph, seen) in seen.iter().enumerate() {
        if let Some(vertex) = seen.iter().position(|seen| !seen) {
            return Err(QualifierError::NoRow { path: path.to_owned(), graph: dataset.ids[graph].clone(), vertex });
        }
    }
    for (name, column) in names.iter().zip(columns) {
        dataset.set_property(PropertyColumn::from_words(name, &column));
    }
    Ok(names)
}

/// The properties that the header of a file names.
pub(super) fn property_names(path: &Path) -> Result<Vec<String>, QualifierError> {
    read_header(&mut Lines::open(path)?)
}

fn read_header(lines: &mut Lines) -> Result<Vec<String>, QualifierError> {
    lines.advance()?;
    let cells = cells(lines)?;
    let names = match &*cells {
        [graph, vertex, names @ ..] if graph == "graph" && vertex == "vertex" && !names.is_empty() => names.to_vec(),
        _ => {
            let problem = "the first line must be graph,vertex and the names of properties".to_owned();
            return Err(problem_at(lines, format!("{problem}, but is {:?}", cells.join(","))));
        }
    };
    for (at, name) in names.iter().enumerate() {
        if name.is_empty() || names[..at].contains(name) {
            return Err(problem_at(
                lines,
                format!("each property must have a name of its own, but {name:?} is not one"),
            ));
        }
        if RESERVED.contains(&name.as_str()) {
            return Err(problem_at(
                lines,
                format!("{name:?} is computed from the graphs; give the property another name"),
            ));
        }
    }
    Ok(names)
}

fn problem_at(lines: &Lines, problem: String) -> QualifierError {
    QualifierError::File { place: lines.place(), problem }
}

/// The cells of a line; a cell in quotes may hold commas, and quotes that are doubled.
fn cells(lines: &Lines) -> Result<Vec<String>, QualifierError> {
    let (mut cells, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    let mut rest = lines.text()?.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '"' if quoted && rest.next_if_eq(&'"').is_some() => cell.push('"'),
            '"' if quoted || cell.trim().is_empty() => quoted = !quoted,
            ',' if !quoted => cells.push(std::mem::take(&mut cell).trim().to_owned()),
            other => cell.push(other),
        }
    }
    if quoted {
        return Err(problem_at(lines, "a quote must be closed on its line, but one is not".to_owned()));
    }
    cells.push(cell.trim().to_owned());
    Ok(cells)
}
