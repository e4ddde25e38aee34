//! Examples at the end of the help of each command. A test runs them in a copy of the folder `examples`.

use clap::{Command, CommandFactory};

use super::Arguments;

/// Each command with its examples, one a line.
const EXAMPLES: &[(&str, &[&str])] = &[
    ("cache", &["bsym cache", "bsym cache clear"]),
    ("cbc", &["bsym cbc crossing.mch", "bsym cbc vending.mch --deadlock"]),
    (
        "export",
        &["bsym export vending.mch --aiger vending.aig", "bsym export counter.mch --horn counter.smt2"],
    ),
    ("tests", &["bsym tests vending.mch", "bsym tests vending.mch --mcdc -o suite"]),
    (
        "check",
        &[
            "bsym check pump.mch",
            "bsym check crossing.mch --trace crossing.itf.json",
            "bsym check pump.mch crossing.mch --quiet",
        ],
    ),
    ("bmc", &["bsym bmc crossing.mch", "bsym bmc counter.mch --depth 5"]),
    ("tree", &["bsym tree crossing.mch", "bsym tree counter.mch --depth 3"]),
    ("kind", &["bsym kind pump.mch", "bsym kind counter.mch --depth 3"]),
    ("ic3", &["bsym ic3 pump.mch", "bsym ic3 pump.mch --certificate pump.cert.json"]),
    (
        "mc",
        &[
            "bsym mc vending.mch --coverage",
            "bsym mc mutex.mch --scope PROCESS=4 --symmetry canonical",
            "bsym mc crossing.mch --keep-going",
        ],
    ),
    ("ldd", &["bsym ldd vending.mch", "bsym ldd mutex.mch --scope PROCESS=4 --strategy saturation"]),
    (
        "ltl",
        &[
            "bsym ltl vending.mch --formula 'G {credit <= 4}'",
            "bsym ltl mutex.mch --formula 'G (e(leave) => not deadlock)'",
        ],
    ),
    ("refine", &["bsym refine symmetry/mc1.ref", "bsym refine symmetry/mc1.ref --trace step.json"]),
    ("graph", &["bsym graph mutex.mch -o mutex.svg", "bsym graph mutex.mch --view signature -o mutex.html"]),
    (
        "simulate",
        &["bsym simulate lift.mch --steps 20", "bsym simulate vending.mch --seed 3 --trace walk.json"],
    ),
    ("animate", &["bsym animate lift.mch", "echo 'random 5' | bsym animate vending.mch"]),
    ("parse", &["bsym parse lift.mch", "bsym parse counter.mch --print", "bsym parse *.mch --quiet"]),
    (
        "eval",
        &[
            "bsym eval '{x | x : 1..9 & x mod 2 = 0}'",
            "bsym eval lift.mch door 'floor + 1'",
            "echo '1 + 2' | bsym eval",
        ],
    ),
    (
        "po",
        &["bsym po lift.mch", "bsym po crossing.mch --explain", "bsym po counter.mch --output-file po.json"],
    ),
    ("strengthen", &["bsym strengthen lift.mch", "bsym strengthen lift.mch --patch lift.patch"]),
    ("proofs", &["bsym proofs counter.po.json", "bsym proofs counter.po.json --machine counter.mch"]),
    (
        "certify",
        &["bsym ic3 pump.mch --certificate c.json && bsym certify c.json", "bsym certify c.json --json"],
    ),
    (
        "replay",
        &[
            "bsym mc crossing.mch --trace t.json; bsym replay t.json crossing.mch",
            "bsym replay t.json crossing.mch --json",
        ],
    ),
    ("explain", &["bsym explain B0203", "bsym explain"]),
    ("completions", &["bsym completions bash > bsym.bash", "bsym completions fish > bsym.fish"]),
    ("manual", &["bsym manual mc", "bsym manual --folder ."]),
];

/// Returns the description of the command line, with examples in the help of each command.
pub fn command_line() -> Command {
    EXAMPLES.iter().fold(Arguments::command(), |whole, (name, lines)| {
        let text: String = lines.iter().map(|line| format!("\n  {line}")).collect();
        whole.mut_subcommand(name, |command| command.after_help(format!("Examples:{text}")))
    })
}
