//! Advice for expressions of a wrong type.

use super::*;
use crate::model::CarrierKind;

impl Checker {
    /// Returns a suggestion for an expression of another type than the expected one.
    pub(super) fn remedy(&self, e: &Expr, expected: &OpenType) -> Option<String> {
        let (expected, found) = (self.types.resolve(expected), self.types.resolve(&e.ty));
        match (&expected, &found) {
            (OpenType::Pow(_), OpenType::Pair(..))
                if matches!(&e.kind, ExprKind::Binary(BinaryOp::Maplet, l, _) if matches!(self.types.head(&l.ty), OpenType::Pow(_))) =>
            {
                Some("`|->` binds no tighter than the operator before it; a set of one couple is `{a |-> b}`".into())
            }
            (OpenType::Pow(element), found) if **element == *found => {
                Some(format!("the set with this element alone is `{{{}}}`", self.shown(e.span)))
            }
            (element, OpenType::Pow(found)) if *element == **found => {
                Some("this is a set, one element is meant: `:` says that something is in a set, `::` chooses an element".into())
            }
            (OpenType::Pair(l, r), OpenType::Int) if **l == OpenType::Int && **r == OpenType::Int => {
                Some("`x : [a, b]` takes x from a sequence; an interval is `a..b`".into())
            }
            (OpenType::Bool, OpenType::Int) => Some("the values of BOOL are `TRUE` and `FALSE`".into()),
            (expected, found) => self.elements_meant(expected, found),
        }
    }

    /// Returns a suggestion for operands of `op` that have different types.
    pub(super) fn remedy_of_sides(&self, l: &Expr, r: &Expr, op: &str) -> Option<String> {
        let (left, right) = (self.types.resolve(&l.ty), self.types.resolve(&r.ty));
        match (&left, &right) {
            (OpenType::Int, OpenType::Pow(_)) if op == "-" && self.ends_interval(l.span) => {
                Some("`..` binds weaker than `-`: put the interval between parentheses, `(a..b) - S`".into())
            }
            (OpenType::Pow(element), other) | (other, OpenType::Pow(element))
                if **element == *other && matches!(op, "=" | "/=") =>
            {
                let (set, element) = if left == *other { (r, l) } else { (l, r) };
                Some(format!(
                    "`{}` is a set: membership is `x : S`, the set with one element is `{{{}}}`",
                    self.shown(set.span),
                    self.shown(element.span)
                ))
            }
            (OpenType::Bool, OpenType::Int) | (OpenType::Int, OpenType::Bool)
                if [l, r].iter().any(|e| matches!(e.kind, ExprKind::Integer(_)))
                    && matches!(op, "=" | "/=") =>
            {
                Some("the values of BOOL are `TRUE` and `FALSE`".into())
            }
            (left, right) => self.elements_meant(left, right).or_else(|| self.elements_meant(right, left)),
        }
    }

    /// Returns what to write where a number or string stands for an element of an enumerated set.
    fn elements_meant(&self, expected: &OpenType, found: &OpenType) -> Option<String> {
        let OpenType::Carrier(c) = expected else { return None };
        let carrier = self.model.types.carriers.get(c.index())?;
        let CarrierKind::Enumerated(elements) = &carrier.kind else { return None };
        if !matches!(found, OpenType::Int | OpenType::String | OpenType::Bool) {
            return None;
        }
        let listed: Vec<String> =
            elements.iter().take(Tuning::DEFAULT.text.listed).map(|e| format!("`{e}`")).collect();
        let more = if elements.len() > Tuning::DEFAULT.text.listed { ", …" } else { "" };
        let quotes = if *found == OpenType::String { ", without quotes" } else { "" };
        Some(format!("the elements of {} are {}{more}{quotes}", carrier.name, listed.join(", ")))
    }

    /// Reports the arrow of sequences where one of functions or of couples is meant. Returns whether it was.
    pub(super) fn is_other_arrow(&mut self, l: &Expr, r: &Expr, span: Span) -> bool {
        let (left, right) = (self.types.resolve(&l.ty), self.types.resolve(&r.ty));
        let help = match (&left, &right) {
            (OpenType::Pow(_), OpenType::Pow(element))
                if !matches!(**element, OpenType::Pair(..) | OpenType::Variable(_) | OpenType::Error) =>
            {
                "a total function is `S --> T`, a partial one `S +-> T`"
            }
            (_, OpenType::Pow(_) | OpenType::Variable(_) | OpenType::Error) => return false,
            _ => "a couple is `a |-> b`",
        };
        let found = self.type_text(&r.ty);
        let message = format!("`->` puts an element in front of a sequence, this is {found}");
        self.report(
            Diagnostic::error(codes::TYPE_MISMATCH, r.span, message)
                .label(span, "in this expression")
                .help(help),
        );
        true
    }

    /// Reports an image of something that is no set: `f[x]` for `f(x)`. Returns whether it was.
    pub(super) fn is_image_of_element(&mut self, r: &Expr, s: &Expr) -> bool {
        if matches!(self.types.head(&s.ty), OpenType::Pow(_) | OpenType::Variable(_) | OpenType::Error) {
            return false;
        }
        let (f, x, found) = (self.shown(r.span), self.shown(s.span), self.type_text(&s.ty));
        let help =
            format!("the value of a function is `{f}({x})`; the image of one element is `{f}[{{{x}}}]`");
        let message = format!("the image `r[S]` is that of a set, this is {found}");
        self.report(Diagnostic::error(codes::TYPE_MISMATCH, s.span, message).help(help));
        true
    }

    /// Returns whether an interval ends with the text before a place.
    fn ends_interval(&self, span: Span) -> bool {
        let text = &self.model.text.sources.get(span.source).text;
        text.get(..span.start as usize).is_some_and(|before| before.trim_end().ends_with(".."))
    }

    fn shown(&self, span: Span) -> &str {
        let text = self.model.text.sources.text(span);
        if text.len() > Tuning::DEFAULT.text.repeated || text.contains('\n') { "…" } else { text }
    }
}
