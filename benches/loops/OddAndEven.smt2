; The system of OddAndEven.mch as constrained Horn clauses.
(set-logic HORN)
(declare-fun reached (Int Int Int Int) Bool)
(assert (forall ((i Int) (j Int) (a Int) (c Int)) (=> (and (= i 1) (= j 0) (= a 0) (= c 0)) (reached i j a c))))
(assert (forall ((i Int) (j Int) (a Int) (c Int)) (=> (and (reached i j a c) (= (mod (+ i 2) 2) 0)) (reached (+ i 2) (+ j 2) (+ a 1) (- (+ c j) i)))))
(assert (forall ((i Int) (j Int) (a Int) (c Int)) (=> (and (reached i j a c) (= (mod (+ i 2) 2) 1)) (reached (+ i 2) (+ j 2) (+ a 1) (+ (- (+ c j) i) 2)))))
(assert (forall ((i Int) (j Int) (a Int) (c Int)) (=> (reached i j a c) (= a c))))
(check-sat)
