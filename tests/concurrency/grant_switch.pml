/* How cores change hands: runtime/machine/core_lease.hpp (core_ledger) and runtime/engine/group.hpp. Two groups, two cores. The shared group
 * (0) has a seat on each of cores 0 and 1, or on one of them, or none; the owner's group (1) has one on core 1, or on
 * both, or none. A controller puts a second allotment into force, which gives every group a seat, perhaps on the same
 * core. Regions are listed by a thread outside (a sender) and by workers as they finish an invocation, the only one on
 * its list without waking anybody (group::poll_pending). One invocation at a time may get up in the middle and sit down
 * again (release, reacquire).
 *
 * What must hold: no core is ever used by two lanes; a seat begins no invocation when it has been revoked before; whoever
 * waits for cores gets them or learns that it need not; no listed region is forgotten, nor does it wait beside a free
 * seat while every thread of its group is in an invocation or asleep and none was called; a stop, at any time, ends every
 * thread. Who waits for ever is an invalid end state.
 *
 * A section under a group's or the ledger's lock is one step, unless what it does can be seen from outside of the lock.
 * Flags are read and written without an order: here, too, any time may lie between a look and what follows from it.
 * Every BROKEN_ variant must fail.
 */

#ifndef OWNER_ON_BOTH
#define OWNER_ON_BOTH 0 /* 1: the second allotment's owner has both cores, and the shared group lies on one of them */
#endif
#ifndef LISTINGS
#define LISTINGS 3 /* of regions, in all */
#endif
#define GROUPS 2
#define CORES 2
#define SEATS 4
#define THREADS 5 /* 0 to 2 are the shared group's, 3 and 4 the owner's; made when they are needed */
#define NOBODY 9

#define group_of(t) ((t) / 3)
/* Seats: 0 shared on core 0, 1 shared on core 1, 2 the owner's on core 1, 3 the owner's on both. */
#define has_core(s, c) ((s) == 3 || (c) == ((s) == 0 -> 0 : 1))

/* The ledger. */
byte holder[CORES] = NOBODY; /* a seat */
byte queue[THREADS] = NOBODY; /* threads that wait, in order of arrival */
bool granted[THREADS], woken[THREADS];
bool ledger_lock; /* taken where a section is more than one step */

/* Seats. gone: revoked by an allotment that is in force. */
bool leave[SEATS], revoked[SEATS], gone[SEATS];

/* Groups. */
bool has_seat[SEATS]; /* of its group, in the allotment in force */
byte users[SEATS];
byte ready[GROUPS];
byte threads[GROUPS], parked[GROUPS], blocked[GROUPS]; /* parked: and not called */

/* Threads. */
bool started[THREADS];
bool asleep[THREADS], notified[THREADS]; /* on the group's condition variable */
bool inside[THREADS];                    /* an invocation: not looking at the list soon */
byte sits[THREADS] = NOBODY;
byte lanes_on[CORES]; /* threads that run there */

bool in_force; /* the first allotment, before anything is sent */
bool stopping;
byte still = LISTINGS; /* to be listed */
byte ended;
bool calling; /* set_leases is not through */
bool got_up; /* one invocation does, for a smaller model */

/* ---- group ---- */

inline notify_one(whose) {
  if
  :: asleep[3 * (whose)] && !notified[3 * (whose)] -> notified[3 * (whose)] = true
  :: asleep[3 * (whose) + 1] && !notified[3 * (whose) + 1] -> notified[3 * (whose) + 1] = true
  :: (whose) == 0 && asleep[2] && !notified[2] -> notified[2] = true
  :: else
  fi
}

#define is_one_free(g) ((has_seat[2 * (g)] && users[2 * (g)] == 0) || (has_seat[2 * (g) + 1] && users[2 * (g) + 1] == 0))
#define lease_count(g) (has_seat[2 * (g)] + has_seat[2 * (g) + 1])

#define may_start(whose) (threads[whose] - blocked[whose] < lease_count(whose) && !stopping)

inline start(whose) {
  assert(threads[whose] < 3 - (whose));
  started[3 * (whose) + threads[whose]] = true;
  threads[whose]++
}

/* group::wake_thread, under the group's lock. For a sender a thread may be made although others are parked: on his core.
 * Which of them is called is left open. */
inline wake_thread(whose, for_sender) {
  if
  :: ready[whose] > 0 && is_one_free(whose) ->
     if
     :: parked[whose] > 0 ->
#ifndef BROKEN_calls_are_not_counted
        parked[whose]--;
#endif
        notify_one(whose)
     :: (parked[whose] == 0 || for_sender) && may_start(whose) -> start(whose)
     :: parked[whose] == 0 && !may_start(whose)
     fi
  :: else
  fi
}

/* ---- core_ledger ---- */

#define all_free(s) ((!has_core(s, 0) || holder[0] == NOBODY) && (!has_core(s, 1) || holder[1] == NOBODY))
#define meet(s, t) ((has_core(s, 0) && has_core(t, 0)) || (has_core(s, 1) && has_core(t, 1)))

/* core_ledger::free_for: wants is a seat, before the place in the queue of who asks. */
inline free_for(wants, before, answer) {
#ifdef BROKEN_new_holder_does_not_wait
  answer = true;
#else
  answer = all_free(wants);
#endif
  k = 0;
  do
  :: k < before && queue[k] != NOBODY ->
     if
     :: !granted[queue[k]] && meet(sits[queue[k]], wants) -> answer = false
     :: else
     fi;
     k++
  :: else -> break
  od;
  k = 0
}

inline ask_to_leave(at) {
  if
  :: has_core(at, 0) && holder[0] != NOBODY -> leave[holder[0]] = true
  :: else
  fi;
  if
  :: has_core(at, 1) && holder[1] != NOBODY -> leave[holder[1]] = true
  :: else
  fi
}

inline hold_cores(at) {
  if
  :: has_core(at, 0) -> holder[0] = at
  :: else
  fi;
  if
  :: has_core(at, 1) -> holder[1] = at
  :: else
  fi
}

inline serve() {
  i = 0;
  do
  :: i < THREADS && queue[i] != NOBODY ->
     if
     :: granted[queue[i]]
     :: else ->
        free_for(sits[queue[i]], i, ok);
        if
        :: ok -> hold_cores(sits[queue[i]]); granted[queue[i]] = true; woken[queue[i]] = true
        :: else -> ask_to_leave(sits[queue[i]])
        fi
     fi;
     i++
  :: else -> break
  od;
  i = 0;
  ok = false
}

inline leave_queue(who) {
  i = 0;
  do
  :: queue[i] == who -> break
  :: else -> i++
  od;
  do
  :: i < THREADS - 1 -> queue[i] = queue[i + 1]; i++
  :: else -> queue[i] = NOBODY; break
  od;
  i = 0
}

#define hopeless(t, even_if) (!(even_if) && (stopping || revoked[sits[t]]))

/* core_ledger::take for the seat sits[t]; even_if: neither a stop nor a revoked seat cancels. got: whether it has it. */
inline take(me, even_if) {
  atomic {
    !ledger_lock;
    got = false;
    if
    :: hopeless(me, even_if) -> waits = false
    :: else ->
       free_for(sits[me], THREADS, ok);
       if
       :: ok -> hold_cores(sits[me]); got = true; waits = false
       :: else ->
          i = 0;
          do
          :: queue[i] != NOBODY -> i++
          :: else -> queue[i] = me; break
          od;
          i = 0;
          woken[me] = false;
          ask_to_leave(sits[me]);
          waits = true
       fi;
       ok = false
    fi
  }
  do
  :: atomic { !waits -> break }
  :: atomic {
       waits && woken[me] && !ledger_lock -> woken[me] = false;
       if
       :: granted[me] -> leave_queue(me); granted[me] = false; got = true; waits = false
       :: !granted[me] && hopeless(me, even_if) ->
          leave_queue(me);
          serve();
          waits = false
       :: else
       fi
     }
  od
}

/* core_ledger::give_back of the seat s. What others may change meanwhile without the ledger's lock is a step. */
inline give_back(up) {
#ifdef BROKEN_leave_hides_revoked
  atomic { !ledger_lock -> ledger_lock = true; ok = revoked[up] }
  atomic { leave[up] = ok; ok = false; ledger_lock = false; free_cores(up); serve() }
#else
  atomic { !ledger_lock -> leave[up] = false; free_cores(up); serve() }
#endif
}

inline free_cores(at) {
  if
  :: has_core(at, 0) -> holder[0] = NOBODY
  :: else
  fi;
  if
  :: has_core(at, 1) -> holder[1] = NOBODY
  :: else
  fi
}

/* ---- workers ---- */

inline begin_on_cores(at) {
  if :: has_core(at, 0) -> lanes_on[0]++; assert(lanes_on[0] == 1) :: else fi;
  if :: has_core(at, 1) -> lanes_on[1]++; assert(lanes_on[1] == 1) :: else fi
}

inline end_on_cores(at) {
  if :: has_core(at, 0) -> lanes_on[0]-- :: else fi;
  if :: has_core(at, 1) -> lanes_on[1]-- :: else fi
}

/* group::is_to_leave. Whether the turn of who is asked to leave is over is left open. */
#ifdef BROKEN_leave_hides_revoked
#define has_to_leave(s) (leave[s] && revoked[s])
#else
#define has_to_leave(s) (revoked[s])
#endif

/* A region is put on the list of g by a worker of the group `by`, which is about to look at its own. */
inline enqueue(to, by) {
  still--;
  ready[to]++;
  if
  :: to == by && ready[to] == 1
  :: else -> wake_thread(to, by == GROUPS)
  fi
}

active [THREADS] proctype worker() {
  byte t, g, s = NOBODY, i, k;
  bool got, ok, waits;
  atomic { t = _pid; g = group_of(t); started[t] || stopping }
  do
  :: atomic { stopping -> break }
  :: atomic { !stopping && ready[g] > 0 && is_one_free(g) ->
       if /* group_leases::use_free */
       :: has_seat[2 * g] && users[2 * g] == 0 -> s = 2 * g
       :: has_seat[2 * g + 1] && users[2 * g + 1] == 0 -> s = 2 * g + 1
       fi;
       users[s]++;
       sits[t] = s
     }
     take(t, false);
     if
     :: atomic { got -> begin_on_cores(s) }
        do /* group::run_on */
        :: atomic { has_to_leave(s) || leave[s] || stopping -> break }
        :: atomic { !has_to_leave(s) && !stopping -> assert(!gone[s]) }
           if
           :: atomic { ready[g] > 0 -> ready[g]--; inside[t] = true }
              if
              :: atomic { true -> skip }
#ifdef GETS_UP
              :: atomic { blocked[0] + blocked[1] == 0 && !got_up -> got_up = true; end_on_cores(s) }
                 give_back(s);
                 atomic { blocked[g]++; users[s]--; wake_thread(g, false) }
                 atomic { blocked[g]--; users[s]++ }
                 take(t, true);
                 atomic { assert(got); begin_on_cores(s) }
#endif
              fi;
              if
              :: atomic { still > 0 -> inside[t] = false; ended++; enqueue(g, g) }
              :: atomic { still > 0 -> inside[t] = false; ended++; enqueue(1 - g, g) }
              :: atomic { true -> inside[t] = false; ended++ }
              fi
           :: atomic { ready[g] == 0 -> break }
           fi
        od;
        atomic { end_on_cores(s) }
        give_back(s)
     :: atomic { !got -> skip }
     fi;
     atomic {
       users[s]--;
       s = NOBODY;
       sits[t] = NOBODY;
       got = false;
       wake_thread(g, false)
     }
  :: atomic { !stopping && !(ready[g] > 0 && is_one_free(g)) -> parked[g]++; asleep[t] = true }
     atomic { notified[t] ->
       notified[t] = false;
       asleep[t] = false;
#ifdef BROKEN_calls_are_not_counted
       parked[g]--
#endif
     }
  od
}

/* A thread outside. */
active proctype sender() {
  in_force;
  do
  :: atomic { still > 0 && !stopping -> enqueue(0, GROUPS) }
  :: atomic { still > 0 && !stopping -> enqueue(1, GROUPS) }
  :: atomic { still == 0 || stopping -> break }
  od
}

/* core_ledger::recheck */
inline recheck() {
  atomic {
    !ledger_lock;
    do
    :: n < THREADS && queue[n] != NOBODY -> woken[queue[n]] = true; n++
    :: else -> break
    od;
    n = 0
  }
}

/* One of a group's seats stays, comes or goes. */
inline place(which, now) {
  if
  :: has_seat[which] && !now -> has_seat[which] = false; revoked[which] = true
  :: else -> has_seat[which] = now
  fi
}

/* group::set_leases */
inline set_leases(whose, first, second) {
  atomic {
    place(2 * whose, first);
    place(2 * whose + 1, second);
#ifndef BROKEN_new_seats_call_nobody
    todo = (ready[whose] < lease_count(whose) -> ready[whose] : lease_count(whose));
    if :: todo > 0 -> calling = true; wake_thread(whose, false) :: else fi
#endif
  }
  atomic { /* the lock was free while the first was woken */
#ifdef BROKEN_calls_are_counted_anew
    todo = (ready[whose] > 1 && lease_count(whose) > 1 -> 2 : 0);
#endif
    if :: todo > 1 -> wake_thread(whose, false) :: else fi;
    todo = 0;
    calling = false
  }
#ifdef BROKEN_leave_hides_revoked
  leave[2 * whose] = leave[2 * whose] || revoked[2 * whose];
  leave[2 * whose + 1] = leave[2 * whose + 1] || revoked[2 * whose + 1];
#endif
  recheck();
  atomic { gone[2 * whose] = revoked[2 * whose]; gone[2 * whose + 1] = revoked[2 * whose + 1] }
}

active proctype controller() {
  byte n, todo;
  atomic {
#ifdef TWO_NEW_SEATS
    has_seat[3] = true;
    threads[0] = 2;
    started[0] = true;
    started[1] = true;
#else
    if
    :: has_seat[0] = true; has_seat[1] = true
    :: has_seat[3] = true
    :: has_seat[1] = true; has_seat[2] = true
    fi;
#endif
    in_force = true
  }
  set_leases(1, !OWNER_ON_BOTH, OWNER_ON_BOTH);
#ifdef TWO_NEW_SEATS
  set_leases(0, true, true);
#else
  set_leases(0, true, false);
#endif
#ifndef STOPS_EARLY
  still == 0 && ended == LISTINGS;
#endif
  stopping = true;
#ifndef BROKEN_stop_wakes_nobody
  atomic {
    do
    :: n < THREADS -> notified[n] = asleep[n]; n++
    :: else -> break
    od;
    n = 0
  }
#endif
  recheck()
}

/* Of a thread that is there: it will not look at the list before something ends or it is called. */
#define is_away(t) (!started[t] || inside[t] || (asleep[t] && !notified[t]))
#define on_revoked(t) (sits[t] != NOBODY && revoked[sits[t]])

/* An owner's threads that are still on seats of the last allotment count as its threads: until one of them gets up, no
 * other is made. */
active proctype no_free_seat_beside_work() {
end:
  do
  :: atomic { !calling && !stopping && ready[0] > 0 && is_one_free(0) && is_away(0) && is_away(1) && is_away(2) &&
              !on_revoked(0) && !on_revoked(1) && !on_revoked(2) -> assert(false) }
  :: atomic { !calling && !stopping && ready[1] > 0 && is_one_free(1) && is_away(3) && is_away(4) &&
              !on_revoked(3) && !on_revoked(4) -> assert(false) }
  od
}
