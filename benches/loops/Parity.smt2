; The system of Parity.mch as constrained Horn clauses.
(set-logic HORN)
(declare-fun reached (Int) Bool)
(assert (forall ((x Int)) (=> (and (= x 0)) (reached x))))
(assert (forall ((x Int)) (=> (and (reached x) (>= x 0)) (reached (+ x 2)))))
(assert (forall ((x Int)) (=> (and (reached x) (>= x 0)) (reached (+ x 4)))))
(assert (forall ((x Int)) (=> (reached x) (distinct x 7))))
(check-sat)
