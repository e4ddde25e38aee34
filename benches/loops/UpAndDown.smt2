; The system of UpAndDown.mch as constrained Horn clauses.
(set-logic HORN)
(declare-fun reached (Int Int Int) Bool)
(assert (forall ((x Int) (y Int) (over Int)) (=> (and (= x 0) (= y 0) (= over 0)) (reached x y over))))
(assert (forall ((x Int) (y Int) (over Int)) (=> (and (reached x y over) (and (= over 0) (< x 50))) (reached (+ x 1) (+ y 1) over))))
(assert (forall ((x Int) (y Int) (over Int)) (=> (and (reached x y over) (and (= over 0) (>= x 50) (>= y 1))) (reached (+ x 1) (- y 1) over))))
(assert (forall ((x Int) (y Int) (over Int)) (=> (and (reached x y over) (and (= over 0) (>= x 50) (< y 1))) (reached x (- y 1) 1))))
(assert (forall ((x Int) (y Int) (over Int)) (=> (reached x y over) (=> (= over 1) (= x 100)))))
(check-sat)
