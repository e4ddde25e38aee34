; The system of Addition.mch as constrained Horn clauses.
(set-logic HORN)
(declare-fun reached (Int Int Int Int) Bool)
(assert (forall ((a Int) (c Int) (result Int) (counter Int)) (=> (and (<= a 1000000) (and (<= 0 c) (<= c 1000000)) (= result a) (= counter c)) (reached a c result counter))))
(assert (forall ((a Int) (c Int) (result Int) (counter Int)) (=> (and (reached a c result counter) (> counter 0)) (reached a c (+ result 1) (- counter 1)))))
(assert (forall ((a Int) (c Int) (result Int) (counter Int)) (=> (reached a c result counter) (=> (<= counter 0) (= result (+ a c))))))
(check-sat)
