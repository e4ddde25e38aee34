; The system of Ratio.mch as constrained Horn clauses.
(set-logic HORN)
(declare-fun reached (Int Int Int Int) Bool)
(assert (forall ((x Int) (y Int) (z Int) (phase Int)) (=> (and (= x 0) (= y 0) (= z 0) (= phase 0)) (reached x y z phase))))
(assert (forall ((x Int) (y Int) (z Int) (phase Int)) (=> (and (reached x y z phase) (= phase 0)) (reached (+ x 1) (+ y 3) z phase))))
(assert (forall ((x Int) (y Int) (z Int) (phase Int)) (=> (and (reached x y z phase) (and (= phase 0) (> x 0))) (reached x y z 1))))
(assert (forall ((x Int) (y Int) (z Int) (phase Int)) (=> (and (reached x y z phase) (and (= phase 1) (> x 0))) (reached (- x 1) y (+ z 3) phase))))
(assert (forall ((x Int) (y Int) (z Int) (phase Int)) (=> (reached x y z phase) (=> (and (= phase 1) (= x 0)) (= y z)))))
(check-sat)
