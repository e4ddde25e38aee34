//! Construction of a `po.json`.

use std::path::{Path, PathBuf};

use bsym_language::archive::Archive;
use bsym_language::decode;
use bsym_language::files::ReadError;

use crate::digest;
use crate::error::PoError;
use crate::file::*;
use crate::path::relative;

/// Results of a conversion so far.
pub struct Builder<'a> {
    /// The archive with the files.
    pub archive: &'a Archive,
    /// The folder that paths are made relative to.
    folder: &'a Path,
    /// Files that the machine in question is read from, wherever they are.
    machine_files: &'a [PathBuf],
    /// Project.
    pub project: Option<String>,
    /// Components.
    pub components: Vec<Component>,
    sources: Vec<SourceFile>,
    obligations: Vec<Obligation>,
    warnings: Vec<String>,
}

impl<'a> Builder<'a> {
    /// Creates an empty builder.
    pub fn new(archive: &'a Archive, folder: &'a Path, machine_files: &'a [PathBuf]) -> Builder<'a> {
        Builder {
            archive,
            folder,
            machine_files,
            project: None,
            components: vec![],
            sources: vec![],
            obligations: vec![],
            warnings: vec![],
        }
    }

    /// Returns the file of a component of this name that the machine in question is read from.
    pub fn machine_file(&self, name: &str) -> Option<&'a Path> {
        let is_named = |path: &&PathBuf| path.file_stem().is_some_and(|stem| stem == name);
        self.machine_files.iter().find(is_named).map(PathBuf::as_path)
    }

    /// Adds a warning for the user.
    pub fn warn(&mut self, message: impl Into<String>) {
        self.warnings.push(message.into());
    }

    /// Adds an obligation.
    pub fn push(&mut self, obligation: Obligation) {
        self.obligations.push(obligation);
    }

    /// Returns whether there is an obligation of this name.
    pub fn has(&self, id: &str) -> bool {
        self.obligations.iter().any(|o| o.id == id)
    }

    /// Reads a file of the archive and records it as a source. Returns its key and its text.
    ///
    /// # Errors
    /// The file cannot be read, or is not text.
    pub fn text(
        &mut self,
        name: &str,
        kind: SourceKind,
        role: Role,
        component: Option<&str>,
        trust: Option<Trust>,
    ) -> Result<(String, String), PoError> {
        let bytes = self.archive.read(name)?;
        let decoded = decode::decode(&bytes);
        if decoded.encoding == decode::Encoding::Binary {
            return Err(ReadError::Binary(self.archive.place(name)).into());
        }
        let id = self.source(name, kind, role, digest::sha256(&bytes), component, trust);
        Ok((id, decoded.text))
    }

    /// Records a file of the archive as a source.
    pub fn source(
        &mut self,
        name: &str,
        kind: SourceKind,
        role: Role,
        sha256: String,
        component: Option<&str>,
        trust: Option<Trust>,
    ) -> String {
        let path = match self.archive.is_zip() {
            true => format!("{}!/{name}", relative(self.archive.path(), self.folder)),
            false => relative(&self.archive.place(name), self.folder),
        };
        self.sources.push(SourceFile {
            id: format!("s{}", self.sources.len() + 1),
            path,
            kind,
            role: Some(role),
            sha256,
            component: component.map(String::from),
            exporter: None,
            trust,
        });
        self.sources[self.sources.len() - 1].id.clone()
    }

    /// Records a model's file, wherever it is.
    pub fn model_file(
        &mut self,
        path: &Path,
        kind: SourceKind,
        sha256: String,
        component: &str,
        trust: Trust,
    ) {
        if self.sources.iter().any(|s| s.sha256 == sha256 && s.kind == kind) {
            return;
        }
        self.sources.push(SourceFile {
            id: format!("s{}", self.sources.len() + 1),
            path: relative(path, self.folder),
            kind,
            role: Some(Role::Model),
            sha256,
            component: Some(component.into()),
            exporter: None,
            trust: Some(trust),
        });
    }

    /// Returns the hash of a source.
    pub fn sha256_of(&self, id: &str) -> String {
        self.sources.iter().find(|s| s.id == id).map(|s| s.sha256.clone()).unwrap_or_default()
    }

    /// Sets the program that wrote a source.
    pub fn exporter(&mut self, id: &str, exporter: String) {
        if let Some(source) = self.sources.iter_mut().find(|s| s.id == id) {
            source.exporter = Some(exporter);
        }
    }

    /// Returns the file and the warnings.
    pub fn finish(self, main: Option<&str>, language: Language) -> (PoFile, Vec<String>) {
        let mut file = PoFile {
            format: FORMAT.into(),
            version: VERSION,
            model: Some(About {
                project: self.project,
                main: main.map(String::from),
                language: Some(language),
                scope: None,
            }),
            sources: self.sources,
            components: self.components,
            obligations: self.obligations,
            not_checked: vec![],
            left_out: vec![],
            contradictory: vec![],
            summary: None,
            cached: false,
        };
        file.name_apart();
        file.summarize();
        (file, self.warnings)
    }
}
