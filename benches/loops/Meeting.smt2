; The system of Meeting.mch as constrained Horn clauses.
(set-logic HORN)
(declare-fun reached (Int Int) Bool)
(assert (forall ((i Int) (j Int)) (=> (and (= i 1) (= j 10)) (reached i j))))
(assert (forall ((i Int) (j Int)) (=> (and (reached i j) (>= j i)) (reached (+ i 2) (- j 1)))))
(assert (forall ((i Int) (j Int)) (=> (reached i j) (=> (< j i) (= j 6)))))
(check-sat)
