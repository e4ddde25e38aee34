//! Protocol between a process and the one that it works for: one line of JSON for each message.

use std::path::{Path, PathBuf};
use std::time::Duration;

use bsym_explore::report::Progress;
use serde::{Deserialize, Serialize};

use crate::answer::found::Found;
use crate::answer::several::Row;
use crate::arguments::{Command, McArguments};

/// The work of a process.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub enum Order {
    /// Carry out a command for one of several machines. The answer is [`Message::Row`].
    One {
        /// The command.
        command: Box<Command>,
        /// The file of the machine.
        file: PathBuf,
    },
    /// Search the states beside the engines. The answer is [`Message::Found`].
    Search(Box<McArguments>),
}

impl Order {
    /// A name for lists of processes.
    pub fn name(&self) -> &'static str {
        match self {
            Order::One { command, .. } => command.name(),
            Order::Search(_) => "search",
        }
    }

    /// The file that it is about, for lists of processes.
    pub fn file(&self) -> &Path {
        match self {
            Order::One { file, .. } => file,
            Order::Search(arguments) => &arguments.verify.file,
        }
    }
}

/// The first line that a process reads.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Assignment {
    /// The order to carry out.
    pub order: Order,
    /// Number of earlier attempts that have crashed.
    pub crashes: u64,
    /// Time that they took, which counts towards the limit.
    pub spent: Duration,
}

/// A later line that a process reads.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    /// Stop, and answer with the known part of the result.
    Stop,
}

/// A line that a process writes. All but the first variant are answers, after which nothing follows.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub enum Message {
    /// Progress of a search.
    Progress(Progress),
    /// The answer about one of several machines.
    Row(Box<Row>),
    /// The answer of a search.
    Found(Box<Found>),
    /// The question could not be answered, with the reason.
    Refused(String),
}
