; The system of FallingStep.mch as constrained Horn clauses.
(set-logic HORN)
(declare-fun reached (Int Int Int) Bool)
(assert (forall ((i Int) (j Int) (k Int)) (=> (and (= i 1) (= j 1) (<= 0 k 1)) (reached i j k))))
(assert (forall ((i Int) (j Int) (k Int)) (=> (and (reached i j k) (< i 1000000)) (reached (+ i 1) (+ j k) (- k 1)))))
(assert (forall ((i Int) (j Int) (k Int)) (=> (reached i j k) (and (<= 1 (+ i k)) (<= (+ i k) 2) (>= i 1)))))
(check-sat)
