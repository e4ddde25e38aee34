; The system of Twins.mch as constrained Horn clauses.
(set-logic HORN)
(declare-fun reached (Int Int Int Int) Bool)
(assert (forall ((i Int) (j Int) (x Int) (y Int)) (=> (and (>= i 0) (>= j 0) (= x i) (= y j)) (reached i j x y))))
(assert (forall ((i Int) (j Int) (x Int) (y Int)) (=> (and (reached i j x y) (distinct x 0)) (reached i j (- x 1) (- y 1)))))
(assert (forall ((i Int) (j Int) (x Int) (y Int)) (=> (reached i j x y) (=> (and (= x 0) (= i j)) (= y 0)))))
(check-sat)
