; The system of SplitPhases.mch as constrained Horn clauses.
(set-logic HORN)
(declare-fun reached (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 50)) (reached x y))))
(assert (forall ((x Int) (y Int)) (=> (and (reached x y) (< x 50)) (reached (+ x 1) y))))
(assert (forall ((x Int) (y Int)) (=> (and (reached x y) (and (<= 50 x) (< x 100))) (reached (+ x 1) (+ y 1)))))
(assert (forall ((x Int) (y Int)) (=> (reached x y) (=> (>= x 100) (= y 100)))))
(check-sat)
