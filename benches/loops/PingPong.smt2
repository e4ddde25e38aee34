; The system of PingPong.mch as constrained Horn clauses.
(set-logic HORN)
(declare-fun reached (Int Int Int) Bool)
(assert (forall ((x Int) (y Int) (turn Int)) (=> (and (= x 0) (= y 0) (= turn 0)) (reached x y turn))))
(assert (forall ((x Int) (y Int) (turn Int)) (=> (and (reached x y turn) (= turn 0)) (reached (+ x 1) y 1))))
(assert (forall ((x Int) (y Int) (turn Int)) (=> (and (reached x y turn) (= turn 1)) (reached x (+ y 1) 0))))
(assert (forall ((x Int) (y Int) (turn Int)) (=> (reached x y turn) (and (<= (- x y) 1) (<= y x)))))
(check-sat)
