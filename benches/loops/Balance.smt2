; The system of Balance.mch as constrained Horn clauses.
(set-logic HORN)
(declare-fun reached (Int Int Int) Bool)
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (= x 100) (= y 0) (= z 0)) (reached x y z))))
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (reached x y z) (> x 0)) (reached (- x 1) (+ y 1) z))))
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (reached x y z) (> y 0)) (reached x (- y 1) (+ z 2)))))
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (reached x y z) (> z 1)) (reached (+ x 1) y (- z 2)))))
(assert (forall ((x Int) (y Int) (z Int)) (=> (reached x y z) (= (+ (+ (* 2 x) (* 2 y)) z) 200))))
(check-sat)
