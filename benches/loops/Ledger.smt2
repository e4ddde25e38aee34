; The system of Ledger.mch as constrained Horn clauses.
(set-logic HORN)
(declare-fun reached (Int Int) Bool)
(assert (forall ((a Int) (b Int)) (=> (and (= a 10000000) (= b 0)) (reached a b))))
(assert (forall ((a Int) (b Int)) (=> (and (reached a b) (>= a 3)) (reached (- a 3) (+ b 3)))))
(assert (forall ((a Int) (b Int)) (=> (and (reached a b) (and (> a 0) (< a 3))) (reached (- a 1) (+ b 1)))))
(assert (forall ((a Int) (b Int)) (=> (reached a b) (and (= (+ a b) 10000000) (<= b 10000000)))))
(check-sat)
