; The system of Residue.mch as constrained Horn clauses.
(set-logic HORN)
(declare-fun reached (Int) Bool)
(assert (forall ((x Int)) (=> (and (= x 0)) (reached x))))
(assert (forall ((x Int)) (=> (and (reached x) (< x 9000000)) (reached (+ x 4)))))
(assert (forall ((x Int)) (=> (reached x) (and (distinct x 8000002) (distinct x 8000004)))))
(check-sat)
