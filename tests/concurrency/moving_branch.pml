/* Whether the records of a branch keep their order while it moves from rank to rank: runtime/stages/placing_stage.cpp (step),
 * moved_calls.cpp (place, rank_of_branch, count_end) and call_stage.cpp (call). One branch without a state, which its home
 * (rank 0) or either of two others runs; where it should go is decided anew for each record, in any way. Each record causes
 * one, and each rank gives them in the order in which they came.
 *
 * A record holds its branch until it has come to its turn at the exit. To the home, or from there, the branch moves while no
 * other record holds it. Between the others it moves while none of its calls is under way; the next one waits for that.
 *
 * What must hold: all records come to the exit, in their order. A step is one load, store or section under the call stage's
 * lock. Every BROKEN_ variant must fail.
 */

#ifndef RECORDS
#define RECORDS 4
#endif
#define NOWHERE 3

byte rank = NOWHERE;   /* of the branch; the next four under the call stage's lock, too */
byte moves_to = NOWHERE;
byte under_way;        /* calls */
byte holders;          /* records that hold the branch */
bool waits;            /* somebody waits until it has moved */
byte left;             /* records that left by the exit */

chan body = [RECORDS] of { byte };       /* of the branch at home */
chan in_front = [RECORDS] of { byte };   /* of the call stage */
chan to_far[2] = [RECORDS] of { byte };
chan to_home[2] = [2 * RECORDS] of { bool, byte };  /* whether the call is over, and what it gave */
chan came_back = [RECORDS] of { byte };
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
       :: moves_to == NOWHERE && holders == 1 ->
#endif
          if
          :: rank = 0
          :: rank = 1
          :: rank = 2
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

/* The thread that calls: rank_of_branch(), open(). */
active proctype calls() {
  byte r, to;
  bool refused;
  end: do
  :: in_front?<r> ->
     atomic {
       refused = false;
       if
       :: moves_to == NOWHERE ->
          if
#ifdef BROKEN_goes_home_from_in_front
          :: rank != 0 -> moves_to = 0
#endif
          :: rank == 2 -> moves_to = 1
          :: rank == 1 -> moves_to = 2
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
       fi;
       to = rank
     };
     if
     :: refused ->
#ifdef BROKEN_says_too_late_that_it_waits
        waits = true;
#endif
        !waits
     :: !refused && to == 0 -> body!r; in_front?r
     :: !refused && to != 0 ->
        under_way++;
        to_far[to - 1]!r;
        in_front?r
     fi
  od
}

proctype far(byte number) {
  byte r;
  end: do
  :: to_far[number]?r -> to_home[number]!false(r); to_home[number]!true(0)
  od
}

/* The communicator of the home: give(), settle(). */
active proctype communicator() {
  byte r;
  bool is_over;
  end: do
  :: atomic {
       if
       :: to_home[0]?is_over(r)
       :: to_home[1]?is_over(r)
       fi };
     if
     :: !is_over -> came_back!r
     :: else ->
        d_step {
          under_way--;
          if
#ifndef BROKEN_an_end_tells_nobody
          :: under_way == 0 && moves_to != NOWHERE && waits -> waits = false
#endif
          :: else
          fi
        }
     fi
  od
}

/* Threads that bring what the branch gave, here and elsewhere, to its exit. */
proctype brings(chan from) {
  byte r;
  end: do
#ifdef BROKEN_lets_go_before_its_turn
  :: from?r -> holders--; exit!r
#else
  :: from?r -> exit!r
#endif
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
  atomic { run far(0); run far(1); run brings(body); run brings(came_back) }
}
