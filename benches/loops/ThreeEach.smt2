; The system of ThreeEach.mch as constrained Horn clauses.
(set-logic HORN)
(declare-fun reached (Int Int Int Int) Bool)
(assert (forall ((n Int) (i Int) (a Int) (c Int)) (=> (and (and (<= 0 n) (<= n 1000000)) (= i 0) (= a 0) (= c 0)) (reached n i a c))))
(assert (forall ((n Int) (i Int) (a Int) (c Int)) (=> (and (reached n i a c) (< i n)) (reached n (+ i 1) (+ a 1) (+ c 2)))))
(assert (forall ((n Int) (i Int) (a Int) (c Int)) (=> (and (reached n i a c) (< i n)) (reached n (+ i 1) (+ a 2) (+ c 1)))))
(assert (forall ((n Int) (i Int) (a Int) (c Int)) (=> (reached n i a c) (=> (>= i n) (= (+ a c) (* 3 n))))))
(check-sat)
