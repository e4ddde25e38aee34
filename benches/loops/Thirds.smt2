; The system of Thirds.mch as constrained Horn clauses.
(set-logic HORN)
(declare-fun reached (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 3) (= y 0)) (reached x y))))
(assert (forall ((x Int) (y Int)) (=> (and (reached x y) (< x (+ y 30))) (reached (+ x 3) y))))
(assert (forall ((x Int) (y Int)) (=> (and (reached x y) (>= x (+ y 30))) (reached (* 2 x) (+ y x)))))
(assert (forall ((x Int) (y Int)) (=> (reached x y) (distinct x 100))))
(check-sat)
