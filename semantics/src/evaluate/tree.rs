//! Trees: functions from paths (sequences of child numbers, the root is `[]`) to labels.
//!
//! B reference manual 5.17. Every operator except the constructors requires a tree: a set of paths that contains with a
//! path its father and its elder brothers. An operator applied outside its domain is ill-defined; `infix` is for binary
//! trees, as are `left` and `right`.

use bsym_language::model::TreeOp;
use bsym_language::print::tree_word;
use bsym_language::source::Span;

use crate::error::EvalError;
use crate::evaluate::cardinality::Cardinality;
use crate::evaluator::{Eval, Evaluator};
use crate::value::Value;
use crate::value::lazy_set::LazySet;

/// A tree, independent of its representation as a function.
#[derive(Clone, Debug)]
struct Tree {
    label: Value,
    sons: Vec<Tree>,
}

impl Tree {
    /// Builds a tree from couples of a path and a label; `None` if they do not form one.
    fn of_nodes(mut nodes: Vec<(Vec<usize>, Value)>) -> Option<Tree> {
        // Fathers before sons, elder brothers before younger ones.
        nodes.sort_by(|a, b| a.0.cmp(&b.0));
        let mut nodes = nodes.into_iter();
        let (root, label) = nodes.next().filter(|(path, _)| path.is_empty())?;
        let mut tree = Tree { label, sons: vec![] };
        let mut last = root;
        for (path, label) in nodes {
            if path == last {
                return None;
            }
            let (rank, father) = path.split_last()?;
            let mut at = &mut tree;
            for step in father {
                at = at.sons.get_mut(step.checked_sub(1)?)?;
            }
            if *rank != at.sons.len() + 1 {
                return None;
            }
            at.sons.push(Tree { label, sons: vec![] });
            last = path;
        }
        Some(tree)
    }

    fn value(&self) -> Value {
        let mut nodes = vec![];
        let mut open = vec![(vec![], self)];
        while let Some((path, tree)) = open.pop() {
            let steps = path.iter().map(|n| Value::int(*n as i64));
            nodes.push(Value::pair(Value::sequence(steps), tree.label.clone()));
            for (i, son) in tree.sons.iter().enumerate() {
                open.push((path.iter().copied().chain([i + 1]).collect(), son));
            }
        }
        Value::set(nodes)
    }

    fn at(&self, path: &[usize]) -> Option<&Tree> {
        path.iter().try_fold(self, |t, step| t.sons.get(step.checked_sub(1)?))
    }

    fn mirror(&self) -> Tree {
        Tree { label: self.label.clone(), sons: self.sons.iter().rev().map(Tree::mirror).collect() }
    }

    fn size(&self) -> usize {
        1 + self.sons.iter().map(Tree::size).sum::<usize>()
    }

    fn is_binary(&self) -> bool {
        matches!(self.sons.len(), 0 | 2) && self.sons.iter().all(Tree::is_binary)
    }

    /// Collects the labels: the root before its sons, behind them, or behind the first of them.
    fn labels(&self, op: TreeOp, out: &mut Vec<Value>) {
        if op == TreeOp::Prefix {
            out.push(self.label.clone());
        }
        for (i, son) in self.sons.iter().enumerate() {
            if op == TreeOp::Infix && i == 1 {
                out.push(self.label.clone());
            }
            son.labels(op, out);
        }
        if op == TreeOp::Postfix || (op == TreeOp::Infix && self.sons.is_empty()) {
            out.push(self.label.clone());
        }
    }
}

impl Evaluator<'_> {
    /// Returns the value of an operator on trees.
    pub(crate) fn tree(&self, op: TreeOp, args: &[Value], at: Span) -> Eval<Value> {
        use TreeOp::*;
        let ill = |message: String| Err(EvalError::ill_defined(at, message));
        match (op, args) {
            (Trees | BinaryTrees, [labels]) => {
                if self.is_empty(labels, at)? {
                    return Ok(Value::empty());
                }
                return Ok(LazySet::Trees(op == BinaryTrees, labels.clone()).into());
            }
            (Const, [label, sons]) => {
                let Some(sons) = self.elements(sons, at)? else {
                    return ill(format!("const with {}, which is no sequence of trees", self.short(sons)));
                };
                let sons = sons.iter().map(|t| self.a_tree(op, t, at)).collect::<Eval<Vec<_>>>()?;
                return Ok(Tree { label: label.clone(), sons }.value());
            }
            (Bin, [label]) => return Ok(Tree { label: label.clone(), sons: vec![] }.value()),
            (Bin, [left, label, right]) => {
                let sons = vec![self.a_tree(op, left, at)?, self.a_tree(op, right, at)?];
                return Ok(Tree { label: label.clone(), sons }.value());
            }
            _ => {}
        }
        let Some((value, rest)) = args.split_first() else { return Err(self.confused(at)) };
        let tree = self.a_tree(op, value, at)?;
        let word = tree_word(op);
        if let Some(path) = rest.first() {
            return self.tree_at_path(op, &tree, path, rest, at);
        }
        Ok(match op {
            Top => tree.label,
            Sons => Value::sequence(tree.sons.iter().map(Tree::value)),
            Sizet => Value::int(tree.size() as i64),
            Mirror => tree.mirror().value(),
            Prefix | Postfix => {
                let mut labels = vec![];
                tree.labels(op, &mut labels);
                Value::sequence(labels)
            }
            Infix if tree.is_binary() => {
                let mut labels = vec![];
                tree.labels(op, &mut labels);
                Value::sequence(labels)
            }
            Left | Right if tree.sons.len() == 2 && tree.is_binary() => {
                tree.sons[usize::from(op == Right)].value()
            }
            Left | Right => return ill(format!("{word} of {}, which has no two sons", self.short(value))),
            Infix => return ill(format!("{word} of {}, which is no binary tree", self.short(value))),
            _ => return Err(self.confused(at)),
        })
    }

    fn tree_at_path(&self, op: TreeOp, tree: &Tree, path: &Value, rest: &[Value], at: Span) -> Eval<Value> {
        let word = tree_word(op);
        let steps = self.path(path, at)?;
        let Some(node) = steps.as_ref().and_then(|s| tree.at(s)) else {
            let message = format!("{word} at {}, which is no path of the tree", self.short(path));
            return Err(EvalError::ill_defined(at, message));
        };
        let steps = steps.unwrap_or_default();
        let value = |steps: &[usize]| Value::sequence(steps.iter().map(|n| Value::int(*n as i64)));
        Ok(match (op, steps.split_last()) {
            (TreeOp::Subtree, _) => node.value(),
            (TreeOp::Arity, _) => Value::int(node.sons.len() as i64),
            (TreeOp::Rank, Some((last, _))) => Value::int(*last as i64),
            (TreeOp::Father, Some((_, father))) => value(father),
            (TreeOp::Son, _) => {
                let n = self.int(rest.get(1).ok_or_else(|| self.confused(at))?, at)?;
                let Some(rank) = n.to_usize().filter(|n| (1..=node.sons.len()).contains(n)) else {
                    let message = format!("son {n} of a node with {} sons", node.sons.len());
                    return Err(EvalError::ill_defined(at, message));
                };
                value(&steps.iter().copied().chain([rank]).collect::<Vec<_>>())
            }
            _ => return Err(EvalError::ill_defined(at, format!("{word} of the root"))),
        })
    }

    fn a_tree(&self, op: TreeOp, value: &Value, at: Span) -> Eval<Tree> {
        self.read_tree(value, at)?.ok_or_else(|| {
            let message = format!("{} of {}, which is no tree", tree_word(op), self.short(value));
            EvalError::ill_defined(at, message)
        })
    }

    fn read_tree(&self, value: &Value, at: Span) -> Eval<Option<Tree>> {
        let mut nodes = vec![];
        for node in self.list(value, at)?.iter() {
            let (path, label) = self.pair(node, at)?;
            let Some(path) = self.path(path, at)? else { return Ok(None) };
            nodes.push((path, label.clone()));
        }
        Ok(Tree::of_nodes(nodes))
    }

    // Returns `None` if the value is not a sequence of positive numbers.
    fn path(&self, value: &Value, at: Span) -> Eval<Option<Vec<usize>>> {
        let Some(steps) = self.elements(value, at)? else { return Ok(None) };
        Ok(steps.iter().map(|n| n.as_int()?.to_usize().filter(|n| *n > 0)).collect())
    }

    /// Returns whether a value is a tree over the labels.
    pub(crate) fn is_tree(&self, binary: bool, x: &Value, labels: &Value, at: Span) -> Eval<bool> {
        if self.cardinality(x, at)? == Cardinality::Infinite {
            return Ok(false);
        }
        let Some(tree) = self.read_tree(x, at)? else { return Ok(false) };
        if binary && !tree.is_binary() {
            return Ok(false);
        }
        let mut open = vec![&tree];
        while let Some(t) = open.pop() {
            if !self.member(&t.label, labels, at)? {
                return Ok(false);
            }
            open.extend(&t.sons);
        }
        Ok(true)
    }
}
