//! Completions of shells and manual pages, made from the definition of the command line.

use std::path::Path;

use anyhow::Context;

use crate::answer::Answer;
use crate::arguments::{ManualArguments, command_line};
use crate::output;
use crate::refusal::Refusal;

/// Completions for one shell.
pub fn completions(shell: clap_complete::Shell) -> Answer {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command_line(), "bsym", &mut text);
    Answer::Text(String::from_utf8_lossy(&text).into_owned())
}

/// One page, or all of them into a folder.
pub fn manual(arguments: &ManualArguments) -> anyhow::Result<Answer> {
    if let Some(folder) = &arguments.folder {
        output::check_folder(folder, "--folder")?;
        return all(folder);
    }
    let command = program();
    let named = match &arguments.command {
        None => &command,
        Some(name) => subcommands(&command).find(|c| c.get_name() == name).ok_or_else(|| {
            let known: Vec<&str> = subcommands(&command).map(clap::Command::get_name).collect();
            Refusal::new(format!("there is no command `{name}`"))
                .help(format!("the commands are {}", known.join(", ")))
        })?,
    };
    Ok(Answer::Text(page(named)?))
}

/// The program with the names of all pages. `help` has none: every command has `--help`.
fn program() -> clap::Command {
    let mut command = command_line().disable_help_subcommand(true);
    command.build();
    command
}

/// Subcommands that are not hidden.
fn subcommands(program: &clap::Command) -> impl Iterator<Item = &clap::Command> {
    program.get_subcommands().filter(|c| !c.is_hide_set())
}

fn page(command: &clap::Command) -> anyhow::Result<String> {
    let mut text = Vec::new();
    let source = format!("bsym {}", env!("CARGO_PKG_VERSION"));
    let page = clap_mangen::Man::new(command.clone()).source(source).manual("bsym");
    page.render(&mut text).context("the manual page cannot be written")?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn all(folder: &Path) -> anyhow::Result<Answer> {
    let program = program();
    let mut written = 0;
    for command in std::iter::once(&program).chain(subcommands(&program)) {
        let name = command.get_display_name().unwrap_or_else(|| command.get_name());
        let path = folder.join(format!("{name}.1"));
        std::fs::write(&path, page(command)?)
            .with_context(|| format!("`{}` cannot be written", path.display()))?;
        written += 1;
    }
    Ok(Answer::Text(format!("{written} pages in {}\n", folder.display())))
}
