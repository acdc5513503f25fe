/* When a run on two ranks has drained: runtime/placed/call_sender.cpp (send), call_receiver.cpp (give),
 * call_book.cpp (end), hosted_stages.cpp (call) and hosted_results.cpp (give_some, pack, is_over). The home sends CALLS records to the far side, each of which is a call, and closes its input. Two threads there
 * run what a call causes: a record may become two, may be absorbed, or leaves, and then goes home. A record holds its call; the
 * last one says that the call is over, with itself if it leaves, else by a message of its own. At home a call counts as work
 * until then, and so does a record that came back until it was run.
 *
 * What must hold: when the home is said to have drained, nothing that was sent is left at the far side, on its way back, or in
 * the inlet at home, now or later; and all that left the far side came through. In the end it is said to have drained.
 *
 * Messages from one rank to another arrive in the order of the calls of send, whatever threads made them. A step is one load,
 * store, read-modify-write or call of send. draining.pml has how work is counted within a rank.
 * Every BROKEN_ variant must fail.
 */

#ifndef CALLS
#define CALLS 2
#endif
#define RECORDS (2 * CALLS)

mtype = { gives, part_over };

byte work;            /* at home */
bool closed, drained;
byte inlet, through;  /* at home: records that came back, and were run */
byte given;           /* records that left the far side */
byte over;            /* calls */
byte holders[CALLS];  /* at the far side: records of the call */
bool forked[CALLS];

chan to_far = [CALLS] of { byte };
chan to_home = [RECORDS + CALLS] of { mtype, byte, bool };  /* of which call; whether it is over */
chan listed = [RECORDS] of { byte };                        /* records that a thread there may run, by their call */

inline finish_work() {
  d_step { work--; nothing = (work == 0) };
  if
  :: nothing && closed ->
     if
     :: d_step { work == 0 && !drained -> drained = true };
        assert(inlet == 0 && given == through && over == CALLS);
        assert(empty(to_far) && empty(to_home) && empty(listed))
     :: else
     fi
  :: else
  fi
}

active proctype sender() {
  byte i;
  bool nothing;
  do
  :: i < CALLS ->
     work++;
     to_far!i;
     i++
  :: else -> break
  od;
  work++;
  closed = true;
  finish_work()
}

/* The communicator of the far side. */
active proctype receiver() {
  byte call;
  end: do
  :: to_far?call ->
     holders[call] = 1;
     listed!call
  od
}

/* A thread of the far side. */
active [2] proctype runs() {
  byte call;
  bool is_last, nothing;
  end: do
  :: listed?call ->
     if
     :: d_step { !forked[call] -> forked[call] = true };  /* it becomes two */
        holders[call]++;
        listed!call;
        listed!call
     :: true ->                                           /* it is absorbed */
        d_step { holders[call]--; is_last = (holders[call] == 0) };
        if
        :: is_last -> to_home!part_over(call, true)
        :: else
        fi
     :: true ->                                           /* it leaves */
#ifdef BROKEN_lets_go_before_it_gives
        d_step { holders[call]--; is_last = (holders[call] == 0) };
        if
        :: is_last -> to_home!part_over(call, true)
        :: else
        fi;
        atomic { to_home!gives(call, false); given++ }
#else
#ifdef BROKEN_says_over_while_others_hold
        is_last = true;
#else
        is_last = (holders[call] == 1);
#endif
        atomic { to_home!gives(call, is_last); given++ };
        if
        :: is_last -> holders[call] = 0  /* no other thread can see it */
        :: else ->
           d_step { holders[call]--; is_last = (holders[call] == 0) };
           if
           :: is_last -> to_home!part_over(call, true)
           :: else
           fi
        fi
#endif
     fi
  od
}

/* The communicator of the home. */
active proctype communicator() {
  mtype what;
  byte call;
  bool is_over, nothing;
  end: do
#ifdef BROKEN_messages_overtake
  :: to_home??part_over(call, is_over) -> over++; finish_work()
#endif
  :: to_home?what(call, is_over) ->
     if
     :: what == gives ->
#ifdef BROKEN_is_over_before_it_is_work
        if
        :: is_over -> over++; finish_work()
        :: else
        fi;
        d_step { work++; inlet++ }
#else
        d_step { work++; inlet++ };
        if
        :: is_over -> over++; finish_work()
        :: else
        fi
#endif
     :: else -> over++; finish_work()
     fi
  od
}

/* A worker of the home. */
active proctype worker() {
  bool nothing;
  do
  :: d_step { inlet > 0 -> inlet--; through++ }; finish_work()
  :: drained && inlet == 0 -> break
  od;
  assert(given == through)
}
