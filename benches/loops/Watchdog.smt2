; The system of Watchdog.mch as constrained Horn clauses.
(set-logic HORN)
(declare-fun reached (Int Int) Bool)
(assert (forall ((ticks Int) (barks Int)) (=> (and (= ticks 0) (= barks 0)) (reached ticks barks))))
(assert (forall ((ticks Int) (barks Int)) (=> (and (reached ticks barks) (< ticks 2000000)) (reached (+ ticks 1) barks))))
(assert (forall ((ticks Int) (barks Int)) (=> (and (reached ticks barks) (= ticks 2000000)) (reached ticks (+ barks 1)))))
(assert (forall ((ticks Int) (barks Int)) (=> (reached ticks barks) (= barks 0))))
(check-sat)
