//! One suite for every backend.
#![cfg(feature = "z3")]
use bsym_encodings::budget::Budget;
use bsym_encodings::session::*;
use bsym_encodings::term::*;
use std::rc::Rc;
use std::time::*;

#[test]
fn smoke() {
    let t = Rc::new(Terms::new());
    let mut s = Session::linked(t.clone());
    println!("{}", s.solver());
    let e = t.sort(SortKind::Enum("E".into(), ["a".into(), "b".into()].into()));
    let set = t.set_sort(e);
    let f = t.array_sort(e, Terms::INT);
    let (x, m, g, h) = (t.symbol("x", Terms::INT), t.symbol("m", set), t.symbol("g", f), t.symbol("h", f));
    let c = t.constructor(e, 0);
    let p = t.eq(t.symbol("k", f), t.array_ite(m, g, h));
    s.assert(p).unwrap();
    let q = t.eq(t.select(t.symbol("k", f), c), t.int(5));
    s.assert(t.lt(x, t.int(-3))).unwrap();
    let b = Budget::unlimited();
    match s.check(&[q, t.select(m, c)], &b).unwrap() {
        Answer::Sat(mut model) => {
            println!("{:?} {:?} {:?}", model.value(x), model.value(g), model.value(m));
        }
        _ => panic!(),
    }
    match s.check(&[q, t.select(m, c), t.eq(t.select(g, c), t.int(4)), t.eq(x, t.int(-6))], &b).unwrap() {
        Answer::Unsat(core) => println!("{:?}", core),
        _ => panic!(),
    }
    // pigeon hole is hard
    let n = 12;
    let v = |i: usize, j: usize| t.symbol(&format!("p{i}_{j}"), Terms::BOOL);
    let mut s = Session::linked(t.clone());
    for i in 0..=n {
        s.assert(t.or((0..n).map(|j| v(i, j)))).unwrap();
    }
    for j in 0..n {
        for i in 0..=n {
            for k in 0..i {
                s.assert(t.or([t.not(v(i, j)), t.not(v(k, j))])).unwrap();
            }
        }
    }
    let start = Instant::now();
    let b2 = b.within(Duration::from_millis(200));
    assert!(matches!(s.check(&[], &b2).unwrap(), Answer::Unknown(_)));
    println!("{:?}", start.elapsed());
    let c = b.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        c.cancel();
    });
    let start = Instant::now();
    assert!(matches!(s.check(&[], &b).unwrap(), Answer::Unknown(_)));
    println!("{:?}", start.elapsed());
}
