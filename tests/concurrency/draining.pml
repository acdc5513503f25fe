/* When a run has drained: runtime/streams/run_life.hpp (begin_work, finish_work, close), runtime/run/run_input.cpp (try_push) and
 * runtime/engine/region.cpp (wake_worker, wake_worker_to_deliver, turn_away). A sender sends RECORDS records and closes the
 * input, or another thread closes it meanwhile; a worker takes the region off the list, runs what is in its inlet, and
 * turns away. A reader rings, once or never: it calls a worker who may find nothing to do. Before the run has drained its
 * folds finish in FOLDS rounds (ran_dry, run_state::finish_more), each of which puts a record into the inlet.
 *
 * What must hold: a round begins when nothing is left; when the run is said to have drained, no round and nothing that
 * was sent is left, now or later; in the end, when it is closed, it is said to have drained. Who waits for ever is an
 * invalid end state.
 *
 * All that is counted here is sequentially consistent in the runtime, as it is here. A step is one load, store or
 * read-modify-write, so that anything may happen between a look and what follows from it. stream_hand_over.pml has the
 * inlet and its fences.
 * Every BROKEN_ variant must fail.
 */

#ifndef RECORDS
#define RECORDS 2
#endif
#ifndef FOLDS
#define FOLDS 0
#endif

byte work;
bool closed, has_drained;
byte inlet, through, sent;
byte attended, listed, rounds;
bool finishing; /* the lock */
bool sender_ended, closer_ended, reader_ended;

inline begin_work() { work++ }

/* By whom is counted as work, or holds what is, or is alone under the lock. */
inline wake_worker() {
  if
  :: d_step { attended == 0 -> attended = 1; called = true }
  :: else
  fi;
  if
  :: called -> begin_work(); listed++; called = false
  :: else
  fi
}

inline ran_dry() {
#ifndef BROKEN_several_begin_a_round
  d_step { !finishing -> finishing = true };
#endif
  if
#ifndef BROKEN_no_look_under_the_lock
  :: has_drained || work != 0
#endif
  :: !has_drained && work == 0 && rounds < FOLDS ->
     rounds++;
     assert(inlet == 0 && through == sent);
     d_step { sent++; inlet++ };
     wake_worker()
#ifdef BROKEN_no_look_under_the_lock
  :: rounds == FOLDS ->
#else
  :: !has_drained && work == 0 && rounds == FOLDS ->
#endif
     assert(inlet == 0 && through == sent);
     has_drained = true
  fi;
#ifndef BROKEN_several_begin_a_round
  finishing = false
#endif
}

inline finish_work() {
  d_step { work--; nothing = (work == 0) };
  if
  :: nothing ->
     if
     :: closed -> ran_dry()
     :: else
     fi
  :: else
  fi;
  nothing = false
}

inline close_it() {
  begin_work();
  closed = true;
  finish_work()
}

active proctype sender() {
  bool nothing, called;
  do
  :: sent < RECORDS ->
#ifndef BROKEN_looks_before_it_begins
     begin_work();
#endif
     if
     :: closed ->
#ifndef BROKEN_looks_before_it_begins
        finish_work();
#endif
        break /* send throws */
     :: else
     fi;
#ifdef BROKEN_looks_before_it_begins
     begin_work();
#endif
     d_step { assert(!has_drained); sent++; inlet++ };
     wake_worker();
     finish_work()
  :: else -> break
  od;
  close_it();
  sender_ended = true
}

active proctype closer() {
  bool nothing, called;
  if
  :: close_it()
  :: skip
  fi;
  closer_ended = true
}

/* The bell of a stream that was full: nobody counts who rings it. */
active proctype reader() {
  if
  :: true ->
#ifdef BROKEN_attends_before_it_is_work
     attended++;
     begin_work();
#else
     begin_work();
     attended++;
#endif
     listed++
  :: true
  fi;
  reader_ended = true
}

active proctype worker() {
  bool nothing, called;
end:
  do
  :: listed > 0 ->
     listed--;
     do
     :: d_step { inlet > 0 -> inlet--; through++ }
     :: true -> break /* it looks at any time, and goes at any time */
     od;
     attended--;
     if
     :: inlet > 0 -> wake_worker()
     :: else
     fi;
     finish_work()
  od
}

active proctype at_the_end() {
  (sender_ended && closer_ended && reader_ended && has_drained);
  (listed == 0 && attended == 0 && work == 0);
  assert(inlet == 0 && through == sent && rounds == FOLDS)
}
