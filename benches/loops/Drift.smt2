; The system of Drift.mch as constrained Horn clauses.
(set-logic HORN)
(declare-fun reached (Int Int Int) Bool)
(assert (forall ((x Int) (y Int) (turn Int)) (=> (and (= x 0) (= y 0) (= turn 0)) (reached x y turn))))
(assert (forall ((x Int) (y Int) (turn Int)) (=> (and (reached x y turn) (= turn 0)) (reached (+ x 3) y 1))))
(assert (forall ((x Int) (y Int) (turn Int)) (=> (and (reached x y turn) (= turn 1)) (reached x (+ y 2) 0))))
(assert (forall ((x Int) (y Int) (turn Int)) (=> (reached x y turn) (<= (- x y) 1000000))))
(check-sat)
