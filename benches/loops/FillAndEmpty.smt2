; The system of FillAndEmpty.mch as constrained Horn clauses.
(set-logic HORN)
(declare-fun reached (Int Int Int Int Int) Bool)
(assert (forall ((n Int) (i Int) (k Int) (j Int) (phase Int)) (=> (and (>= n 0) (= i 0) (= k 0) (= j 0) (= phase 0)) (reached n i k j phase))))
(assert (forall ((n Int) (i Int) (k Int) (j Int) (phase Int)) (=> (and (reached n i k j phase) (and (= phase 0) (< i n))) (reached n (+ i 1) (+ k 1) j phase))))
(assert (forall ((n Int) (i Int) (k Int) (j Int) (phase Int)) (=> (and (reached n i k j phase) (and (= phase 0) (>= i n))) (reached n i k n 1))))
(assert (forall ((n Int) (i Int) (k Int) (j Int) (phase Int)) (=> (and (reached n i k j phase) (and (= phase 1) (> j 0))) (reached n i (- k 1) (- j 1) phase))))
(assert (forall ((n Int) (i Int) (k Int) (j Int) (phase Int)) (=> (reached n i k j phase) (=> (and (= phase 1) (> j 0)) (> k 0)))))
(check-sat)
