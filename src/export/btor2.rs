//! BTOR2 (Niemetz, Preiner, Wolf, Biere: Btor2, BtorMC and Boolector 3.0, 2018), with bits as its only sort.

use std::fmt::Write;

use bsym_encodings::propositional::circuit::{Circuit, Edge};

/// Writes a circuit.
pub fn btor2(circuit: &Circuit, comment: &str) -> String {
    let mut writer = Writer { text: String::new(), line: 0, nodes: vec![], negated: vec![] };
    for line in comment.lines() {
        writeln!(writer.text, "; {line}").expect("strings grow");
    }
    writer.line("sort bitvec 1");
    let zero = writer.line("zero 1");
    let one = writer.line("one 1");
    writer.node(zero);
    for _ in 0..circuit.inputs {
        let input = writer.line("input 1");
        writer.node(input);
    }
    for latch in &circuit.latches {
        // Names end at a space.
        let name = latch.name.replace(char::is_whitespace, "_").replace(';', "_");
        let state = writer.line(&format!("state 1 {name}"));
        writer.node(state);
    }
    for (i, latch) in circuit.latches.iter().enumerate() {
        let state = writer.nodes[1 + circuit.inputs as usize + i];
        writer.line(&format!("init 1 {state} {}", if latch.reset { one } else { zero }));
    }
    for &(a, b) in &circuit.gates {
        let (a, b) = (writer.edge(a), writer.edge(b));
        let and = writer.line(&format!("and 1 {a} {b}"));
        writer.node(and);
    }
    for (i, latch) in circuit.latches.iter().enumerate() {
        let state = writer.nodes[1 + circuit.inputs as usize + i];
        let next = writer.edge(latch.next);
        writer.line(&format!("next 1 {state} {next}"));
    }
    let constraint = writer.edge(circuit.constraint);
    writer.line(&format!("constraint {constraint}"));
    for (edge, name) in super::bad(circuit) {
        let bad = writer.edge(Edge(edge));
        writer.line(&format!("bad {bad} {}", name.replace(' ', "_")));
    }
    writer.text
}

struct Writer {
    text: String,
    line: u32,
    /// The line of each node, and that of its negation once there is one.
    nodes: Vec<u32>,
    negated: Vec<Option<u32>>,
}

impl Writer {
    fn line(&mut self, text: &str) -> u32 {
        self.line += 1;
        writeln!(self.text, "{} {text}", self.line).expect("strings grow");
        self.line
    }

    fn node(&mut self, line: u32) {
        self.nodes.push(line);
        self.negated.push(None);
    }

    fn edge(&mut self, edge: Edge) -> u32 {
        let node = (edge.0 >> 1) as usize;
        let line = self.nodes[node];
        if edge.0 & 1 == 0 {
            return line;
        }
        if let Some(negated) = self.negated[node] {
            return negated;
        }
        let negated = self.line(&format!("not 1 {line}"));
        self.negated[node] = Some(negated);
        negated
    }
}
