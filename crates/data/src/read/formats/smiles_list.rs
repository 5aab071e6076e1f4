//! SMILES in a list: read like a file of them.
//!
//! The row of a molecule is its position in the list, from 0; that is also its name. Tested against the same lines in a
//! `.smi` file.

use super::molecules::{Row, add_rows};
use super::{ReadError, ReadOptions};
use crate::dataset::features::FeatureColumn;
use crate::dataset::{Dataset, Origin};
use crate::read::builder::DatasetBuilder;
use std::path::Path;

/// Name of the source in errors and in the data set.
const SOURCE: &str = "SMILES";

/// Reads a list of SMILES. There are no targets.
///
/// ```
/// use einsicht_data::read::{ReadOptions, read_smiles};
/// let smiles = ["CCO", "c1ccccc1"].map(String::from);
/// assert_eq!(read_smiles(&smiles, &ReadOptions::default())?.len(), 2);
/// # Ok::<(), einsicht_data::ReadError>(())
/// ```
pub fn read_smiles(smiles: &[String], options: &ReadOptions) -> Result<Dataset, ReadError> {
    read_smiles_with(smiles, &[], options)
}

/// The same with columns of numbers beside the molecules; a number that is not finite makes its row a bad one.
///
/// # Panics
/// If a column has another length than the list.
pub fn read_smiles_with(
    smiles: &[String],
    features: &[FeatureColumn],
    options: &ReadOptions,
) -> Result<Dataset, ReadError> {
    let path = Path::new(SOURCE);
    let mut builder = DatasetBuilder::new(SOURCE, path, options);
    builder.set_molecules();
    builder.set_features(features.iter().map(|column| &column.name));
    let row = |(row, text): (usize, &String)| Row {
        origin: Origin { row: row as u32, line: 0 },
        text: text.trim().to_owned(),
        cells: features.iter().map(|column| column.word(row)).collect(),
        ..Row::default()
    };
    let rows: Vec<Row> = smiles.iter().enumerate().map(row).collect();
    add_rows(&mut builder, path, options, &[], &rows)?;
    builder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::options::OnBad;
    use crate::read::{Format, read};
    use einsicht_graph::stop::{self, StopFlag, Stopped};
    use std::sync::Arc;

    #[test]
    fn a_list_is_read_like_a_file() {
        let smiles = ["CC(=O)O", "c1ccncc1", "[Na+].[Cl-]"].map(String::from);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.smi");
        std::fs::write(&path, smiles.join("\n")).unwrap();
        let options = ReadOptions { format: Some(Format::Smi), ..ReadOptions::default() };
        let (list, file) = (read_smiles(&smiles, &options).unwrap(), read(&path, &options).unwrap());
        assert_eq!((list.fingerprint(), &list.ids), (file.fingerprint(), &file.ids));
    }

    #[test]
    fn reading_can_be_stopped_after_every_few_molecules() {
        let smiles = vec!["CC(=O)Oc1ccccc1C(=O)O".to_owned(); 8_000];
        let watching = |flag: &Arc<StopFlag>| {
            let of_thread = Arc::clone(flag);
            let start = move |_| stop::watch(Some(Arc::clone(&of_thread)));
            let pool = rayon::ThreadPoolBuilder::new().num_threads(2).start_handler(start).build().unwrap();
            stop::catch(|| pool.install(|| read_smiles(&smiles, &ReadOptions::default()).unwrap().len()))
        };
        let flag = StopFlag::new(&Arc::default());
        assert_eq!(watching(&flag), Ok(8_000));
        assert!(flag.looks() >= 400, "{} looks", flag.looks());
        let early = StopFlag::set_at_look(50);
        assert_eq!(watching(&early), Err(Stopped));
        assert!(early.looks() < 100, "{} looks", early.looks());
    }

    #[test]
    fn a_bad_one_is_named_by_its_place_or_left_out() {
        let smiles = ["CC", "C1CC", "O"].map(String::from);
        let error = read_smiles(&smiles, &ReadOptions::default()).unwrap_err().to_string();
        assert!(error.starts_with("SMILES: row 1 must be a molecule, but \"C1CC\" is not:"), "{error}");
        let skip = ReadOptions { on_bad: OnBad::Skip, ..ReadOptions::default() };
        let rest = read_smiles(&smiles, &skip).unwrap();
        assert_eq!((rest.len(), rest.skipped.len(), rest.origins[1].row), (2, 1, 2));
    }

    #[test]
    fn a_bad_one_can_keep_its_place() {
        let smiles = ["CC", "", "C1CC", "O"].map(String::from);
        let kept = read_smiles(&smiles, &ReadOptions { on_bad: OnBad::Nan, ..ReadOptions::default() }).unwrap();
        assert_eq!((kept.len(), kept.missing(), kept.skipped.len()), (4, vec![1, 2], 2));
        assert_eq!(kept.subset(&[3, 2]).missing(), [1]);
        let joined = Dataset::join(&[&kept, &kept.subset(&[0])]).unwrap();
        assert_eq!((joined.missing(), joined.skipped.len()), (vec![1, 2], 2));
    }
}
