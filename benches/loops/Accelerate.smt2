; The system of Accelerate.mch as constrained Horn clauses.
(set-logic HORN)
(declare-fun reached (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x (- 50)) (<= (- 1000) y 1000)) (reached x y))))
(assert (forall ((x Int) (y Int)) (=> (and (reached x y) (< x 0)) (reached (+ x y) (+ y 1)))))
(assert (forall ((x Int) (y Int)) (=> (reached x y) (=> (>= x 0) (> y 0)))))
(check-sat)
