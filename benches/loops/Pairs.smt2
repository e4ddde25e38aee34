; The system of Pairs.mch as constrained Horn clauses.
(set-logic HORN)
(declare-fun reached (Int Int) Bool)
(assert (forall ((a Int) (c Int)) (=> (and (= a 0) (= c 1)) (reached a c))))
(assert (forall ((a Int) (c Int)) (=> (and (reached a c) (< c 1000000)) (reached c (+ a c)))))
(assert (forall ((a Int) (c Int)) (=> (reached a c) (and (<= a c) (>= c 1)))))
(check-sat)
