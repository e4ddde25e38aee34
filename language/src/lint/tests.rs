use crate::load::load_text;

/// The warnings about a machine of these sections: `line code message`.
#[track_caller]
fn check(sections: &str, expected: &[&str]) {
    let loaded = load_text("M.mch", format!("MACHINE M\n{sections}\nEND"));
    let told: Vec<String> = loaded
        .diagnostics
        .iter()
        .map(|d| format!("{} {} {}", loaded.sources.position(d.span).line - 1, d.code.number, d.message))
        .collect();
    assert!(loaded.model.is_some(), "{told:?}");
    assert_eq!(told, expected, "{sections}");
}

// Everything of it is used.
const LAMP: &str = "VARIABLES on INVARIANT on : BOOL INITIALISATION on := FALSE OPERATIONS";

#[test]
fn what_is_used_is_not_mentioned() {
    check(
        "SETS S = {a, b}; T
DEFINITIONS half(n) == n / 2; GOAL == x > limit; SET_PREF_MAXINT == 9; ANIMATION_FUNCTION == seen; scope_T == 3
CONSTANTS limit, f PROPERTIES limit : NAT & f : S --> T
VARIABLES x, seen INVARIANT x : 0..9 & seen <: S & x <= limit
INITIALISATION x := 0 || seen := {}
OPERATIONS up(s) = PRE s : S & x < 9 THEN x := half(x) + 1 || seen := seen \\/ {s} END;
  r <-- look(t) = PRE t : T & #z.(z : S & f(z) = t) THEN r := bool(!y.(y : seen => f(y) /= t)) END;
  mix = ANY i, j WHERE i : 0..2 & j : {k | k : 1..3} THEN LET l BE l = i + j IN x := l END END;
  tidy = VAR v IN v := 1; WHILE v < 3 DO v := v + 1 INVARIANT v : NAT VARIANT 3 - v END; x := v END",
        &[],
    );
}

#[test]
fn declarations_without_a_use() {
    check(
        "SETS S; C = {a, b}
CONSTANTS c, d, e
PROPERTIES c : NAT & d = c + 1 & e <: {1}
DEFINITIONS one == 1; two(x) == one + 1; three == two(1)
VARIABLES x, y, z
INVARIANT x : NAT & y : NAT & z : 0..9
INITIALISATION x, y, z := 0, 0, 0
OPERATIONS go = PRE y < 5 THEN x := 1 || z := z + 1 END",
        &[
            "1 501 set `S` is not used",
            "1 501 set `C` is not used",
            "2 502 constant `d` is not used beyond its own typing",
            "2 502 constant `e` is not used beyond its own typing",
            "4 505 definition `one` is not used",
            "4 505 definition `two` is not used",
            "4 506 `two` does not use its parameter `x`",
            "4 505 definition `three` is not used",
            "5 503 the value of variable `x` is not used",
            "5 504 no operation changes variable `y`",
        ],
    );
    // A library is there for others, and its constants are the answer.
    check("SETS S CONSTANTS c PROPERTIES c : NAT", &[]);
}

#[test]
fn parameters_results_and_locals() {
    check(
        &format!(
            "{LAMP}
  r <-- a(p, q) = PRE p : NAT THEN on := bool(q > r) END;
  b(s) = PRE s < 3 THEN on := bool(s = 1 or on = TRUE) END;
  c = ANY x WHERE x : NAT THEN on := TRUE END;
  d = VAR v IN v := 1; on := FALSE END;
  e = LET l BE l = 3 IN on := TRUE END"
        ),
        &[
            "2 509 `a` does not assign its result `r`",
            "2 506 `a` does not use its parameter `p`",
            "2 515 no guard of `a` types its parameter `q`",
            "3 515 no guard of `b` types its parameter `s`",
            "4 507 the value of `x` is not used",
            "5 507 the value of `v` is not used",
            "6 507 the value of `l` is not used",
        ],
    );
}

#[test]
fn names_that_hide_others() {
    check(
        "SETS C = {red, green}
CONSTANTS c PROPERTIES c : NAT & !x.(x : NAT => #x.(x : NAT & x > c))
DEFINITIONS all(s) == !c.(c : s => c > 0)
VARIABLES v INVARIANT v : C & all({1})
INITIALISATION v : (v = red)
OPERATIONS set(red) = PRE red : C THEN v := red END;
  v <-- get = v := green",
        &[
            "2 508 `x` hides a bound name of the same name",
            "3 508 `c` hides a constant of the same name",
            "4 503 the value of variable `v` is not used",
            "6 508 `red` hides an element of a set of the same name",
            "7 508 `v` hides a variable of the same name",
        ],
    );
}

#[test]
fn operations_that_never_happen() {
    let never =
        |n: u32, name: &str| format!("{n} 511 operation `{name}` can never happen: this guard is false");
    check(
        &format!(
            "SETS C = {{red, green}} {LAMP}
  a = SELECT bfalse THEN on := TRUE END;
  b(c) = PRE c : C & c = red & c = green THEN on := bool(c = red) END;
  d = SELECT on = TRUE & not(on = TRUE) THEN skip END;
  e = PRE 3 : 4..9 THEN ANY x WHERE x : NAT THEN on := bool(x = 1) END END;
  f = BEGIN on := FALSE; SELECT 1 + 1 > 2 THEN on := TRUE END END;
  g = SELECT 1 > 2 THEN on := TRUE ELSE on := FALSE END;
  h = SELECT 1 > 2 THEN on := TRUE WHEN on = TRUE THEN on := FALSE END;
  i = IF 1 > 2 THEN on := TRUE END"
        ),
        &[never(2, "a"), never(3, "b"), never(4, "d"), never(5, "e"), never(6, "f")]
            .each_ref()
            .map(String::as_str),
    );
}

#[test]
fn predicates_without_content() {
    check(
        "CONSTANTS s, n
PROPERTIES s <: NAT & n : NAT & s = s & card(s) >= 0
  & n : NAT & n < n & 1 = 1 & btrue
VARIABLES x INVARIANT x : NAT & {} <: s & (x = n or x /= x) & n : {}
INITIALISATION x := 0
OPERATIONS go = PRE x > 1 & x < 5 & x > 1 THEN x := n END;
  case = IF x = 1 & x = 2 THEN x := 3 END",
        &[
            "2 512 this is always true",
            "2 512 this is always true",
            "3 514 this conjunct is there twice",
            "3 513 this is always false",
            "4 512 this is always true",
            "4 513 this is always false",
            "4 513 this is always false",
            "6 514 this conjunct is there twice",
            "7 513 this is false where the conjunct before holds",
        ],
    );
}

#[test]
fn formulas_that_read_otherwise_than_they_look() {
    check(
        "CONSTANTS s, n
PROPERTIES s <: NAT & n : NAT & !x.(x : s & x > n)
  & #x.(x : s => x > n)
  & (n = 1 or n = 2 & s = {})
  & (n = 1 & n > 0 or n = 2) & ((n = 3 or n = 2) & s /= {1})
  & (n = 1 => s = {} => n = 2) & (n = 1 => (s = {} => n = 2)) & !x.(x : NATURAL & n = 1 => x > 2)",
        &[
            "2 516 this demands the membership of every value of the type",
            "3 517 this is true as soon as one value is outside the set",
            "4 518 `&` and `or` bind equally: this is read as `(… or …) & …`",
            "6 518 `=>` groups to the left: this is read as `(… => …) => …`",
        ],
    );
}

#[test]
fn a_set_that_changes_uses_the_parameter_that_it_types() {
    check(
        "SETS P
CONSTANTS some PROPERTIES some <: P
VARIABLES inside INVARIANT inside <: some
INITIALISATION inside := {}
OPERATIONS release(p) = SELECT p : inside THEN inside := {} END;
  empty(p) = SELECT p : some THEN inside := {} END;
  clear(p) = SELECT p : P THEN inside := {} END",
        &["7 506 `clear` does not use its parameter `p`"],
    );
}
