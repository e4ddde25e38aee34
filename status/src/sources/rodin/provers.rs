//! Provers of obligations: the reasoners at the leaves of the trees in `.bpr`.
//!
//! A status is never derived from these files, because they keep proofs of obligations, and of whole machines, that no
//! longer exist.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use roxmltree::Node;

use crate::error::PoError;
use crate::sources::xml::{self, attribute, children};

/// Provers by the name of the obligation.
pub type Provers = BTreeMap<String, Vec<String>>;

/// Reads a file.
///
/// # Errors
/// The text is not XML, or has another root.
pub fn read(place: &Path, text: &str) -> Result<Provers, PoError> {
    let document = xml::parse(place, text)?;
    let root = xml::root(place, &document, "prFile")?;
    let mut out = Provers::new();
    for proof in children(root, "prProof") {
        let Some(name) = proof.attribute("name") else { continue };
        let short: BTreeMap<&str, &str> = children(proof, "prReas")
            .filter_map(|n| Some((n.attribute("name")?, attribute(n, "prRID")?)))
            .collect();
        let rules = proof.descendants().filter(|n| n.is_element() && xml::tag(*n) == "prRule");
        let leaves = rules.filter(|n| children(*n, "prAnte").next().is_none());
        let reasoners = leaves.filter_map(|n: Node<'_, '_>| {
            let name = n.attribute("name")?;
            Some(*short.get(name).unwrap_or(&name))
        });
        let provers: BTreeSet<String> = reasoners.map(|id| prover(id).to_string()).collect();
        out.insert(name.into(), provers.into_iter().collect());
    }
    Ok(out)
}

/// Returns the word for a reasoner.
fn prover(id: &str) -> &str {
    let id = id.split(':').next().unwrap_or(id);
    let known = [
        ("org.eventb.core.seqprover.", "rodin:seqprover"),
        ("com.clearsy.atelierb.provers.core.externalML", "atelierb:ml"),
        ("com.clearsy.atelierb.provers.core.externalPP", "atelierb:pp"),
        ("com.clearsy.atelierb.", "atelierb"),
        ("com.b4free.rodin.core.externalML", "atelierb:ml"),
        ("com.b4free.rodin.core.externalPP", "atelierb:pp"),
        ("com.b4free.rodin.core.", "atelierb"),
        ("org.eventb.smt.", "smt"),
        ("fr.systerel.smt.", "smt"),
        ("de.prob.eventb.disprover.", "prob:disprover"),
        ("org.eventb.theory.", "rodin:theory"),
    ];
    known.iter().find(|(start, _)| id.starts_with(start)).map_or(id, |(_, word)| word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_name_the_provers() {
        let text = r#"<org.eventb.core.prFile version="1">
            <org.eventb.core.prProof name="e/i/INV" org.eventb.core.confidence="1000">
             <org.eventb.core.prRule name="r0"><org.eventb.core.prAnte name="'">
              <org.eventb.core.prRule name="r1"/></org.eventb.core.prAnte><org.eventb.core.prAnte name="(">
              <org.eventb.core.prRule name="r2"/></org.eventb.core.prAnte></org.eventb.core.prRule>
             <org.eventb.core.prReas name="r0" org.eventb.core.prRID="org.eventb.core.seqprover.conj:0"/>
             <org.eventb.core.prReas name="r1" org.eventb.core.prRID="com.clearsy.atelierb.provers.core.externalPP"/>
             <org.eventb.core.prReas name="r2" org.eventb.core.prRID="org.eventb.smt.core.externalSMT:2"/>
            </org.eventb.core.prProof>
            <org.eventb.core.prProof name="old">
             <org.eventb.core.prRule name="org.eventb.core.seqprover.hyp"/></org.eventb.core.prProof>
            </org.eventb.core.prFile>"#;
        let all = read(Path::new("M.bpr"), text).unwrap();
        assert_eq!(all["e/i/INV"], ["atelierb:pp", "smt"]);
        assert_eq!(all["old"], ["rodin:seqprover"]);
    }
}
