//! Theories of the theory plug-in, as a package holds them.

use super::project::*;
use super::terms::{Read, formula, identifier, list, malformed, name};
use crate::ast::{Expr, Ident};
use crate::eventb::prolog::Term;

/// `theory(Name, Imported, TypeParameters, DataTypes, Operators, AxiomaticDefinitions, Mappings)`; old
/// packages have a part of it.
pub(super) fn theory(t: &Term) -> Read<Theory> {
    let Some((_, arguments)) = t.parts() else { return Err(malformed(t, "theory/7")) };
    let (title, parameters, data_types, operators, axiomatic, mappings) = match arguments {
        [n, _, p, d, o, a, m] => (Some(n), p, d, Some(o), Some(a), Some(m)),
        [n, _, p, d, o, a] => (Some(n), p, d, Some(o), Some(a), None),
        [p, d, o] => (None, p, d, Some(o), None, None),
        _ => return Err(malformed(t, "theory/7")),
    };
    let mut theory = Theory {
        name: match title.and_then(Term::parts) {
            Some((_, [_, n])) => name(n)?.name,
            _ => String::new(),
        },
        parameters: list(parameters, "type parameters")?.iter().map(type_name).collect::<Read<_>>()?,
        data_types: list(data_types, "data types")?.iter().map(data_type).collect::<Read<_>>()?,
        operators: vec![],
        mappings: vec![],
        span: t.span,
    };
    for o in operators.map(|o| list(o, "operators")).transpose()?.unwrap_or_default() {
        theory.operators.push(operator(o)?);
    }
    for block in axiomatic.map(|a| list(a, "axiomatic definitions")).transpose()?.unwrap_or_default() {
        let Some(("axiomatic_def_block", [_, types, definitions, _])) = block.parts() else {
            return Err(malformed(block, "axiomatic_def_block/4"));
        };
        for ty in list(types, "types")? {
            // A type with axioms alone: nothing is known about its elements.
            theory.data_types.push(DataType {
                name: any_name(ty)?,
                parameters: vec![],
                constructors: vec![],
            });
        }
        for d in list(definitions, "operators")? {
            let Some(("opdef", [n, arguments, conditions @ ..])) = d.parts() else {
                return Err(malformed(d, "opdef/3"));
            };
            theory.operators.push(Operator {
                name: name(n)?,
                parameters: arguments_of(arguments)?,
                condition: conditions.first().map(condition_of).transpose()?.flatten(),
                definition: Definition::Axiomatic,
            });
        }
    }
    for m in mappings.map(|m| list(m, "mappings")).transpose()?.unwrap_or_default() {
        if let Some(("tag", [n, operator])) = m.parts()
            && let (Ok(n), Ok(operator)) = (name(n), name(operator))
        {
            theory.mappings.push((n.name, operator.name));
        }
    }
    Ok(theory)
}

fn any_name(t: &Term) -> Read<Ident> {
    match t.parts() {
        Some(("identifier", _)) => identifier(t),
        _ => name(t),
    }
}

fn type_name(t: &Term) -> Read<String> {
    Ok(any_name(t)?.name)
}

fn data_type(t: &Term) -> Read<DataType> {
    let Some(("datatype", [n, parameters, constructors])) = t.parts() else {
        return Err(malformed(t, "datatype/3"));
    };
    let mut all = vec![];
    for c in list(constructors, "constructors")? {
        let Some(("constructor", [n, destructors])) = c.parts() else {
            return Err(malformed(c, "constructor/2"));
        };
        let mut found = vec![];
        for d in list(destructors, "destructors")? {
            let Some(("destructor", [n, ty])) = d.parts() else { return Err(malformed(d, "destructor/2")) };
            found.push((name(n)?, formula(ty)?));
        }
        all.push((name(n)?, found));
    }
    let parameters = list(parameters, "type parameters")?.iter().map(type_name).collect::<Read<_>>()?;
    Ok(DataType { name: name(n)?, parameters, constructors: all })
}

fn arguments_of(t: &Term) -> Read<Vec<(Ident, Expr)>> {
    let mut all = vec![];
    for a in list(t, "parameters")? {
        let Some(("argument", [n, ty])) = a.parts() else { return Err(malformed(a, "argument/2")) };
        all.push((name(n)?, formula(ty)?));
    }
    Ok(all)
}

fn operator(t: &Term) -> Read<Operator> {
    let Some(("operator", [n, arguments, condition, direct, cases])) = t.parts() else {
        return Err(malformed(t, "operator/5"));
    };
    let parameters = arguments_of(arguments)?;
    let (direct, cases) = (list(direct, "definitions")?, list(cases, "cases")?);
    let definition = match (direct, cases) {
        ([d, ..], _) => Definition::Direct(formula(d)?),
        ([], []) => Definition::Axiomatic,
        ([], cases) => by_cases(&parameters, cases)?,
    };
    Ok(Operator { name: name(n)?, parameters, condition: condition_of(condition)?, definition })
}

/// A condition, or a list of them.
fn condition_of(t: &Term) -> Read<Option<Expr>> {
    Ok(match t.list() {
        Some(all) => Expr::all(all.iter().map(formula).collect::<Read<_>>()?),
        None => Some(formula(t)?),
    })
}

fn by_cases(parameters: &[(Ident, Expr)], terms: &[Term]) -> Read<Definition> {
    let (mut parameter, mut cases) = (0, vec![]);
    for c in terms {
        let Some(("case", [inductive, _, pattern, body])) = c.parts() else {
            return Err(malformed(c, "case/4"));
        };
        let inductive = any_name(inductive)?.name;
        let Some(at) = parameters.iter().position(|(p, _)| p.name == inductive) else {
            return Err(malformed(c, "a case of one of the parameters"));
        };
        parameter = at;
        let (constructor, bound) = constructor_pattern(formula(pattern)?)
            .map_err(|_| malformed(pattern, "a constructor with names for its parts"))?;
        cases.push((constructor, bound, formula(body)?));
    }
    Ok(Definition::Cases { parameter, cases })
}
