; The system of Chase.mch as constrained Horn clauses.
(set-logic HORN)
(declare-fun reached (Int Int) Bool)
(assert (forall ((hare Int) (tortoise Int)) (=> (and (= hare 0) (= tortoise 4000000)) (reached hare tortoise))))
(assert (forall ((hare Int) (tortoise Int)) (=> (and (reached hare tortoise) (>= hare 0)) (reached (+ hare 3) (+ tortoise 1)))))
(assert (forall ((hare Int) (tortoise Int)) (=> (reached hare tortoise) (<= hare tortoise))))
(check-sat)
