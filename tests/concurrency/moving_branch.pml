/* Whether the records of a branch keep their order while it moves from rank to rank: runtime/placed/at_stages.cpp (step),
 * branch_ranks.cpp (place_again, rank_for, end) and call_sender.cpp (send, resend_all). One branch without a state, which its home
 * (rank 0) or either of two others runs; where it should go is decided anew for each record, in any way. Each record causes
 * one, and each rank gives them in the order in which they came.
 *
 * A record holds its branch until it has come to its turn at the exit. To the home, or from there, the branch moves while no
 * other record holds it. Between the others it moves while none of its calls is under way; the next one waits for that.
 *
 * LOSS: rank 2 may be lost. What its calls gave is dropped, they are run at home, and so is what comes for it later.
 *
 * What must hold: all records come to the exit, in their order. A step is one load, store or section under the call stage's
 * lock. Every BROKEN_ variant must fail.
 */

#ifndef RECORDS
#define RECORDS 4
#endif
#define NOWHERE 3
#define is_gone(r) (lost && r == 2)

byte rank = NOWHERE;   /* of the branch; the next four under the call stage's lock, too */
byte moves_to = NOWHERE;
byte under_way;        /* calls */
byte holders;          /* records that hold the branch */
bool waits;            /* somebody waits until it has moved */
bool sending;          /* the thread that calls is about to */
bool lost, sends_again; /* rank 2 is lost; its calls are sent again, and no other */
byte left;             /* records that left by the exit */

chan body = [RECORDS] of { byte };       /* of the branch at home */
chan in_front = [RECORDS] of { byte };   /* of the call stage */
chan to_far[2] = [RECORDS] of { byte };
chan to_home[2] = [2 * RECORDS] of { bool, byte };  /* whether the call is over, and what it gave */
chan opened[2] = [RECORDS] of { byte };       /* calls that are not over */
chan came_back = [RECORDS] of { byte, bool }; /* and whether it is still to be run here */
chan exit = [RECORDS] of { byte };

/* The thread that sends records into the branch: place(). */
active proctype places() {
  byte r, to;
  do
  :: r < RECORDS ->
     holders++;
     atomic {
       if
#ifdef BROKEN_goes_home_when_its_calls_are_over
       :: moves_to == NOWHERE && (under_way == 0 || rank == NOWHERE) ->
#else
       :: moves_to == NOWHERE && holders == 1 && !is_gone(rank) ->
#endif
          if
          :: rank = 0
          :: rank = 1
          :: !lost -> rank = 2
          :: rank != NOWHERE
          fi
       :: else
       fi;
       to = rank
     };
     if
     :: to == 0 -> body!r
     :: else -> in_front!r
     fi;
     r++
  :: else -> break
  od
}

/* Under the lock: whether the branch moves, or is to move, from the call stage. */
inline decide() {
  refused = false;
  if
  :: moves_to == NOWHERE && !is_gone(rank) ->
     if
#ifdef BROKEN_goes_home_from_in_front
     :: rank != 0 -> moves_to = 0
#endif
     :: rank == 2 -> moves_to = 1
     :: rank == 1 && !lost -> moves_to = 2
     :: true
     fi
  :: else
  fi;
  if
  :: moves_to == NOWHERE
#ifndef BROKEN_does_not_wait_for_its_calls
  :: moves_to != NOWHERE && under_way > 0 ->
     refused = true
#ifndef BROKEN_says_too_late_that_it_waits
     ; waits = true
#endif
#endif
  :: else -> rank = moves_to; moves_to = NOWHERE
  fi
}

/* The thread that calls: call(), open(). What a lost rank would run goes home, by the way of what came back. */
active proctype calls() {
  byte r, to;
  bool refused, at_home;
  end: do
  :: in_front?<r> ->
     atomic { !sends_again -> sending = true };
     atomic { decide(); to = rank; at_home = is_gone(rank) };
     if
     :: sends_again -> sending = false
     :: refused ->
        sending = false;
#ifdef BROKEN_says_too_late_that_it_waits
        waits = true;
#endif
        !waits
     :: !refused && to == 0 -> body!r; in_front?r; sending = false
#ifdef BROKEN_does_not_let_those_before_it_go_first
     :: !refused && at_home ->
#else
     :: !refused && at_home && !sends_again ->
#endif
        came_back!r, true; in_front?r; sending = false
     :: !refused && to != 0 && !at_home ->
#ifdef BROKEN_decides_for_two_before_it_calls
        atomic {
          if
          :: len(in_front) > 1 -> decide()
          :: else
          fi
        };
#endif
        atomic { under_way++; opened[to - 1]!r };
        to_far[to - 1]!r;
        in_front?r;
        sending = false
     fi
  od
}

proctype far(byte number) {
  byte r;
  end: do
  :: to_far[number]?r -> to_home[number]!false(r); to_home[number]!true(0)
  od
}

inline one_is_over() {
  under_way--;
  if
#ifndef BROKEN_an_end_tells_nobody
  :: under_way == 0 && moves_to != NOWHERE && waits -> waits = false
#endif
  :: else
  fi
}

/* The communicator of the home: call_receiver, held_results, resend_after_loss. The results of a call wait until the call
 * is over. */
active proctype communicator() {
  byte r, n;
  bool is_over;
  end: do
  :: atomic {
       if
       :: to_home[0]?is_over(r) -> n = 0
       :: !lost && nempty(to_home[1]) -> to_home[1]?is_over(r); n = 1
       fi };
     if
     :: is_over -> opened[n]?r; came_back!r, false; d_step { one_is_over() }
     :: else
     fi
#ifdef LOSS
  :: atomic { !lost -> lost = true; sends_again = true };
     atomic { !sending ->
       do
       :: to_far[1]?r
       :: to_home[1]?is_over(r)
       :: empty(to_far[1]) && empty(to_home[1]) -> break
       od
#ifndef BROKEN_moves_on_after_a_loss
       ; if
       :: rank == 2 && nempty(opened[1]) -> moves_to = NOWHERE
       :: rank != 2 || empty(opened[1])
       fi
#endif
     };
     do
     :: opened[1]?r -> came_back!r, true; d_step { one_is_over() }
     :: empty(opened[1]) -> break
     od;
     atomic { waits = false; sends_again = false }
#endif
  od
}

/* Threads that bring what the branch gave, here and elsewhere, to its exit. */
inline bring() {
#ifdef BROKEN_lets_go_before_its_turn
  holders--;
#endif
  exit!r
}

active proctype runs_here() {
  byte r;
  end: do
  :: body?r -> bring()
  od
}

active proctype runs_results() {
  byte r;
  bool again;
  end: do
  :: came_back?r, again ->
     if
     :: again -> body!r
     :: else -> bring()
     fi
  od
}

active proctype leaves() {
  byte r;
  do
  :: left < RECORDS ->
     exit?r;
     assert(r == left);
     left++;
#ifndef BROKEN_lets_go_before_its_turn
     holders--
#endif
  :: else -> break
  od;
  assert(empty(body) && empty(came_back) && empty(exit))
}

init {
  atomic { run far(0); run far(1) }
}
