//! Types of the operators on trees (B reference manual, 5.17).
//!
//! A tree over `T` is a function from paths to labels: `POW(seq(INTEGER) * T)` as a type.

use super::*;
use crate::ast::BuiltinFn as F;

fn tree_type(label: Type) -> Type {
    Type::relation(Type::seq(Type::Int), label)
}

impl Checker {
    pub(super) fn tree(&mut self, f: F, args: &[ast::Expr], span: Span) -> Expr {
        let label = self.fresh();
        let tree = tree_type(label.clone());
        let path = Type::seq(Type::Int);
        let labels = Type::seq(label.clone());
        let (op, operands, ty) = match f {
            F::Tree => (TreeOp::Trees, vec![Type::pow(label)], Type::pow(tree)),
            F::Btree => (TreeOp::BinaryTrees, vec![Type::pow(label)], Type::pow(tree)),
            F::Const => (TreeOp::Const, vec![label, Type::seq(tree.clone())], tree),
            F::Top => (TreeOp::Top, vec![tree], label),
            F::Sons => (TreeOp::Sons, vec![tree.clone()], Type::seq(tree)),
            F::Prefix => (TreeOp::Prefix, vec![tree], labels),
            F::Postfix => (TreeOp::Postfix, vec![tree], labels),
            F::Infix => (TreeOp::Infix, vec![tree], labels),
            F::Sizet => (TreeOp::Sizet, vec![tree], Type::Int),
            F::Mirror => (TreeOp::Mirror, vec![tree.clone()], tree),
            F::Rank => (TreeOp::Rank, vec![tree, path], Type::Int),
            F::Father => (TreeOp::Father, vec![tree, path.clone()], path),
            F::Son => (TreeOp::Son, vec![tree, path.clone(), Type::Int], path),
            F::Subtree => (TreeOp::Subtree, vec![tree.clone(), path], tree),
            F::Arity => (TreeOp::Arity, vec![tree, path], Type::Int),
            F::Bin if args.len() == 1 => (TreeOp::Bin, vec![label], tree),
            F::Bin => (TreeOp::Bin, vec![tree.clone(), label, tree.clone()], tree),
            F::Left => (TreeOp::Left, vec![tree.clone()], tree),
            F::Right => (TreeOp::Right, vec![tree.clone()], tree),
            _ => return self.erroneous(span),
        };
        let args: Vec<Expr> = args.iter().map(|a| self.expr(a)).collect();
        if args.len() != operands.len() {
            let message = format!(
                "`{}` takes {} argument{}, {} given",
                print::tree_word(op),
                operands.len(),
                if operands.len() == 1 { "" } else { "s" },
                if args.len() == 1 { "1 is".to_string() } else { format!("{} are", args.len()) },
            );
            self.error(codes::ARGUMENT_COUNT, span, message);
            return self.erroneous(span);
        }
        for (a, t) in args.iter().zip(&operands) {
            self.expect(a, t);
        }
        Expr { kind: ExprKind::Tree(op, args), ty, span }
    }
}
