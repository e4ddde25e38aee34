//! The name that was probably meant by one that is not declared.

/// Returns the known name that is nearest to a misspelt one. One letter in three may be wrong, at most three; swapped
/// neighbours or a word in other capitals count as one mistake. A word without a matching letter is not near. Of
/// equally near names the first in alphabetical order is returned.
pub fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let limit = (name.chars().count() / 3).clamp(1, 3);
    let near = known.into_iter().map(|n| (distance(name, n), n));
    let shares_a_letter = |d: usize, n: &str| d < n.chars().count() || in_other_capitals(name, n);
    near.filter(|&(d, n)| d <= limit && shares_a_letter(d, n)).min().map(|(_, n)| n)
}

fn distance(a: &str, b: &str) -> usize {
    if in_other_capitals(a, b) { 1 } else { strsim::osa_distance(a, b) }
}

fn in_other_capitals(a: &str, b: &str) -> bool {
    a.to_lowercase() == b.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_in_three_may_be_wrong() {
        let nearest = |name, known: &[&'static str]| nearest(name, known.iter().copied());
        assert_eq!(nearest("floor", &["doors", "floors"]), Some("floors"));
        assert_eq!(nearest("abc", &["ABC"]), Some("ABC"));
        assert_eq!(nearest("kitten", &["sitting"]), None);
        assert_eq!(nearest("emtpy", &["empty"]), Some("empty"));
        assert_eq!(nearest("ab", &["b", "a"]), None);
        assert_eq!(nearest("C", &["c", "d"]), Some("c"));
        assert_eq!(nearest("lewel", &["level", "bevel"]), Some("level"));
    }
}
