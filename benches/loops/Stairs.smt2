; The system of Stairs.mch as constrained Horn clauses.
(set-logic HORN)
(declare-fun reached (Int Int Int) Bool)
(assert (forall ((a Int) (b Int) (c Int)) (=> (and (= a 0) (= b 0) (= c 0)) (reached a b c))))
(assert (forall ((a Int) (b Int) (c Int)) (=> (and (reached a b c) (< a 1000000)) (reached (+ a 1) b c))))
(assert (forall ((a Int) (b Int) (c Int)) (=> (and (reached a b c) (and (= a 1000000) (< b 1000000))) (reached a (+ b 1) c))))
(assert (forall ((a Int) (b Int) (c Int)) (=> (and (reached a b c) (and (= b 1000000) (<= c 1000000))) (reached a b (+ c 1)))))
(assert (forall ((a Int) (b Int) (c Int)) (=> (reached a b c) (<= c 1000000))))
(check-sat)
