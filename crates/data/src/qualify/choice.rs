//! Which properties the user wants as qualifiers: `auto`, `none`, a list of names, or a file.

use super::QualifierError;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Which properties become qualifiers. As text: `auto`, `none`, names with commas between them, or a path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum QualifierChoice {
    /// What suits the data.
    #[default]
    Auto,
    /// None.
    None,
    /// The properties with these names.
    List(Vec<String>),
    /// The columns of this file ([`super::read_properties`]), and no others.
    File(PathBuf),
}

impl FromStr for QualifierChoice {
    type Err = QualifierError;

    /// A text that ends in `.csv` or `.csv.gz`, or that is the path of a file and looks like one, is a file.
    fn from_str(text: &str) -> Result<Self, QualifierError> {
        match text {
            "auto" => return Ok(Self::Auto),
            "none" => return Ok(Self::None),
            _ if is_table(Path::new(text)) => return Ok(Self::File(text.into())),
            _ => {}
        }
        let names: Vec<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
        if names.iter().any(String::is_empty) {
            return Err(QualifierError::EmptyName { text: text.to_owned() });
        }
        Ok(Self::List(names))
    }
}

/// Whether a path ends in `.csv` or `.csv.gz`, or is a file. A bare word is none: what it means must not depend on the
/// folder.
fn is_table(path: &Path) -> bool {
    let looks_like_path = path.extension().is_some() || path.components().count() > 1;
    let ends = |path: &Path, end| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(end));
    ends(path, "csv") || ends(path, "gz") && ends(&path.with_extension(""), "csv") || looks_like_path && path.is_file()
}

impl fmt::Display for QualifierChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::None => f.write_str("none"),
            Self::List(names) => f.write_str(&names.join(",")),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

impl From<QualifierChoice> for String {
    fn from(choice: QualifierChoice) -> Self {
        choice.to_string()
    }
}

impl TryFrom<String> for QualifierChoice {
    type Error = QualifierError;

    fn try_from(text: String) -> Result<Self, QualifierError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_its_text() {
        let choice = |text: &str| text.parse::<QualifierChoice>().unwrap();
        assert_eq!(choice("hydrogens, ring"), QualifierChoice::List(vec!["hydrogens".into(), "ring".into()]));
        assert_eq!(choice("my/Colours.CSV"), QualifierChoice::File("my/Colours.CSV".into()));
        for text in ["auto", "none", "hydrogens,ring", "degree", "a/b.csv", "x.csv.gz"] {
            assert_eq!(choice(text).to_string(), text);
            let json = serde_json::to_string(&choice(text)).unwrap();
            assert_eq!(json, format!("\"{text}\""));
            assert_eq!(serde_json::from_str::<QualifierChoice>(&json).unwrap(), choice(text));
        }
        let error = "a,,b".parse::<QualifierChoice>().unwrap_err().to_string();
        assert_eq!(error, "a list of qualifiers must name properties, but \"a,,b\" has an empty entry");
    }
}
