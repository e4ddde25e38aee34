------------------------------- MODULE Lock -------------------------------
CONSTANT Client
VARIABLE state

TypeOK == state \in [Client -> {"idle", "waiting", "holding"}]
Mutex  == \A c, d \in Client : state[c] = "holding" /\ state[d] = "holding" => c = d

Init    == state = [c \in Client |-> "idle"]
Ask(c)  == state[c] = "idle" /\ state' = [state EXCEPT ![c] = "waiting"]
Take(c) == /\ state[c] = "waiting"
           /\ \A d \in Client : state[d] # "holding"
           /\ state' = [state EXCEPT ![c] = "holding"]
Give(c) == state[c] = "holding" /\ state' = [state EXCEPT ![c] = "idle"]
Next    == \E c \in Client : Ask(c) \/ Take(c) \/ Give(c)

Spec     == Init /\ [][Next]_state /\ \A c \in Client : WF_state(Take(c)) /\ WF_state(Give(c))
Liveness == \A c \in Client : state[c] = "waiting" ~> state[c] = "holding"
============================================================================
