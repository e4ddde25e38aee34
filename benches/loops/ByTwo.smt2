; The system of ByTwo.mch as constrained Horn clauses.
(set-logic HORN)
(declare-fun reached (Int) Bool)
(assert (forall ((i Int)) (=> (and (= i 0)) (reached i))))
(assert (forall ((i Int)) (=> (and (reached i) (< i 1000000)) (reached (+ i 2)))))
(assert (forall ((i Int)) (=> (reached i) (=> (>= i 1000000) (= i 1000000)))))
(check-sat)
