; The system of Budget.mch as constrained Horn clauses.
(set-logic HORN)
(declare-fun reached (Int Int Int) Bool)
(assert (forall ((budget Int) (left Int) (used Int)) (=> (and (> budget 5000000) (= left budget) (= used 0)) (reached budget left used))))
(assert (forall ((budget Int) (left Int) (used Int)) (=> (and (reached budget left used) (> left 0)) (reached budget (- left 1) (+ used 1)))))
(assert (forall ((budget Int) (left Int) (used Int)) (=> (reached budget left used) (=> (> used 0) (> left 0)))))
(check-sat)
