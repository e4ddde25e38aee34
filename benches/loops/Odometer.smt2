; The system of Odometer.mch as constrained Horn clauses.
(set-logic HORN)
(declare-fun reached (Int) Bool)
(assert (forall ((d Int)) (=> (and (= d 0)) (reached d))))
(assert (forall ((d Int)) (=> (and (reached d) (>= d 0)) (reached (+ d 1)))))
(assert (forall ((d Int)) (=> (reached d) (<= d 2147483647))))
(check-sat)
