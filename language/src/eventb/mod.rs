//! Event-B: ProB's `.eventb` packages and Rodin's projects, to what is written in them.
//!
//! Both end in a [`project::Project`] whose formulas are the trees of classical B (`ast`), so that one
//! checker types and composes them: `check::compose`.

pub mod package;
pub mod project;
mod terms;
mod theories;

use std::path::Path;
use std::sync::Arc;

use crate::check;
use crate::decode::{self, ReadError};
use crate::diagnostic::Severity;
use crate::load::Loaded;
use crate::source::Sources;
use crate::stack::with_large_stack;

/// Reads a package and composes its first machine, or the component that is asked for.
///
/// # Errors
/// When the file itself cannot be read, or is not text.
pub fn load_package(path: &Path, component: Option<&str>) -> Result<Loaded, ReadError> {
    let mut sources = Sources::default();
    let (id, mut diagnostics) = decode::load(&mut sources, path)?;
    let sources = Arc::new(sources);
    let project = with_large_stack(|| package::read(&sources.get(id).text, id));
    let model = match project {
        Ok(project) => {
            let name = component.or_else(|| project.main()).unwrap_or_default().to_string();
            let (model, found) = check::compose(sources.clone(), &project, &name);
            diagnostics.extend(found);
            model
        }
        Err(d) => {
            diagnostics.push(d);
            None
        }
    };
    diagnostics.sort_by_key(|d| (d.span.source, d.span.start));
    debug_assert_eq!(model.is_some(), diagnostics.iter().all(|d| d.severity != Severity::Error));
    Ok(Loaded { sources, model, diagnostics })
}
