/* Limits that change while they are waited for: runtime/streams/results.cpp (set_bounded), runtime/engine/region.cpp (set_capacity,
 * set_limit) and the bells of runtime/streams/stream.hpp. A sender and a thread that reads, and after a while sends as well, put
 * records into the inlet of one region, and sleep while it is full. Its workers put them into the results, which are
 * bounded until their reader sends, and leave the region's name where there is no room. A tuner changes a limit, once
 * or never, at any time.
 *
 * What must hold: all that is sent is read, and nobody sleeps for ever, whatever a limit was when he fell asleep - else
 * everybody waits, which spin reports as an invalid end state; the inlet never holds more than its widest limit; at the
 * end every place on the list is one that is counted in attended.
 *
 * The order of records is no part of this: stream_hand_over.pml has it, and says how a memory that is not sequentially
 * consistent is written out. Here `taken`, `written`, `limit`, `lanes` and `bounded` are as stored, and seen by others
 * later; of the number of results only that there are none, of the bound only that it is lifted: who is shown more room
 * than there is looks once more. A fence and the load behind it are one step.
 *
 * Each of these is about one limit that a tuner must change; the call for it alone can wake who waits:
 *   FIXED_BOUND  results are always bounded (option results_capacity); a wider inlet has place for all that is sent
 *   GATE         nothing is taken from the inlet until it is wider
 *   WIDTH        the first invocation waits for the second, which needs a second lane; results are not bounded
 * Every BROKEN_ variant must fail.
 */

#ifndef SENDER_RECORDS
#ifdef WIDTH
#define SENDER_RECORDS 2
#else
#define SENDER_RECORDS 3
#endif
#endif
#define ALL (SENDER_RECORDS + 1) /* the reader sends one */
#ifndef NARROW
#define NARROW 1
#endif
#ifndef WIDE
#define WIDE 2
#endif
#ifdef WIDTH
#define RESULTS_CAPACITY ALL
#define MOST_LANES 2
#else
#define RESULTS_CAPACITY 1
#define MOST_LANES 1
#endif
#if defined(FIXED_BOUND) || defined(GATE) || defined(WIDTH)
#define TUNER_MUST
#endif

#ifndef WORKERS
#define WORKERS 1
#endif
#define INLET 0
#define RESULTS 1
#define SENDER 0
#define READER 1

/* The inlet. */
byte written, written_seen;
byte taken, taken_seen;
byte limit = NARROW, limit_seen = NARROW;

/* The results. emptied: a store of 0 to the count that is not seen yet. */
byte kept, count_seen;
bool emptied;
bool bounded = true, bounded_seen = true; /* it has read already, and waits */

/* space_available, of the inlet and of the results */
bool bell_lock[2];
bool wanted[2], wanting[2]; /* wanting: a store of true, under the lock, that is not seen yet */
bool waits[2], notified[2]; /* of the threads that may sleep at the inlet's */
bool name_left; /* at the results' */

/* region. inside: tickets whose outputs have not left. */
byte attended, listed, running, inside;
byte lanes = 1, lanes_seen = 1;
bool stuck, delivering;

bool reader_sent, closed;
byte ended;

active proctype stores_are_seen() {
end:
  do
  :: atomic { written_seen < written -> written_seen++ }
  :: atomic { taken_seen < taken -> taken_seen++ }
  :: atomic { limit_seen != limit -> limit_seen = limit }
  :: atomic { lanes_seen != lanes -> lanes_seen = lanes }
  :: atomic { bounded_seen && !bounded -> bounded_seen = false }
  :: atomic { emptied -> emptied = false; count_seen = 0 }
  :: atomic { wanting[INLET] -> wanted[INLET] = true; wanting[INLET] = false }
  :: atomic { wanting[RESULTS] -> wanted[RESULTS] = true; wanting[RESULTS] = false }
  od
}

#ifdef GATE
#define is_shut (limit_seen < WIDE)
#else
#define is_shut false
#endif
#define inlet_has_room (written - taken_seen < limit_seen)
#define results_have_room (!bounded_seen || count_seen < RESULTS_CAPACITY)

#ifdef BROKEN_no_fence_in_wake_worker
#define fence_in_wake_worker(is_seen) true
#else
#define fence_in_wake_worker(is_seen) (is_seen)
#endif
#ifdef BROKEN_no_fence_in_ring
#define fence_in_ring(is_seen) true
#else
#define fence_in_ring(is_seen) (is_seen)
#endif
#ifdef BROKEN_no_fence_in_wait
#define fence_in_wait true
#else
#define fence_in_wait (!wanting[INLET])
#endif

/* region::wake_worker. is_seen: what the caller stored before. crowded: by what it sees wait; batches of one. */
inline wake_worker(is_seen, lanes_known, crowded) {
  if
  :: atomic { fence_in_wake_worker(is_seen) && (attended == 0 || (attended < lanes_known && crowded)) ->
       attended++;
       listed++
     }
  :: atomic { fence_in_wake_worker(is_seen) && !(attended == 0 || (attended < lanes_known && crowded)) -> skip }
  fi
}

/* space_available::ring of the inlet, where threads sleep. */
inline ring_inlet(is_seen) {
  if
  :: atomic { fence_in_ring(is_seen) && wanted[INLET] -> skip };
     atomic {
       !bell_lock[INLET] ->
       wanted[INLET] = waits[SENDER] || waits[READER];
       notified[SENDER] = waits[SENDER];
       notified[READER] = waits[READER]
     }
  :: atomic { fence_in_ring(is_seen) && !wanted[INLET] -> skip }
  fi
}

/* space_available::ring of the results, where the region leaves its name. */
inline ring_results(is_seen) {
  if
  :: atomic { fence_in_ring(is_seen) && wanted[RESULTS] -> skip };
     atomic {
       !bell_lock[RESULTS] ->
       wanted[RESULTS] = false;
       calls = name_left;
       name_left = false
     }
     if
     :: atomic { calls -> calls = false; attended++; listed++ } /* wake_worker_to_deliver */
     :: atomic { else -> skip }
     fi
  :: atomic { fence_in_ring(is_seen) && !wanted[RESULTS] -> skip }
  fi
}

/* run_input::send of one record. */
inline send(who) {
  do
  :: atomic { /* region::push */
       inlet_has_room ->
       written++;
       mine = written;
       assert(written - taken <= WIDE)
     };
     wake_worker(written_seen >= mine, lanes_seen, written > taken_seen);
     mine = 0;
     break
  :: atomic { !inlet_has_room -> skip }; /* space_available::wait */
     atomic { !bell_lock[INLET] -> bell_lock[INLET] = true; waits[who] = true; wanting[INLET] = true };
     do
     :: atomic { fence_in_wait && inlet_has_room -> break }
     :: atomic { fence_in_wait && !inlet_has_room -> notified[who] = false };
        atomic { !wanting[INLET] -> bell_lock[INLET] = false }; /* sleeps */
        atomic { notified[who] && !bell_lock[INLET] -> bell_lock[INLET] = true }
     od;
     atomic { !wanting[INLET] -> notified[who] = false; waits[who] = false; bell_lock[INLET] = false }
  od
}

active proctype sender() {
  byte sent, mine;
  do
  :: sent < SENDER_RECORDS -> send(SENDER); sent++
  :: else -> break
  od;
  atomic { reader_sent -> sent = 0; closed = true; ended++ }
}

/* results::set_bounded */
inline set_bounded(now) {
#ifdef FIXED_BOUND
  skip
#else
  atomic {
    lifts = bounded && !(now);
    bounded = now;
    bounded_seen = bounded_seen || bounded
  }
  if
  :: lifts ->
     lifts = false;
#ifndef BROKEN_lifting_rings_nobody
     ring_results(bounded_seen == bounded)
#endif
  :: else
  fi
#endif
}

active proctype reader() {
  byte got, mine;
  bool calls, lifts;
  do
  :: got < SENDER_RECORDS + reader_sent -> /* result_reader::next; the wait for a result is under the results' lock */
     set_bounded(!reader_sent || closed);
     atomic { kept > 0 -> got = got + kept; kept = 0; emptied = true };
     ring_results(!emptied)
  :: !reader_sent -> /* run_input::note_sender, and the rest of send */
     set_bounded(false);
     send(READER);
     reader_sent = true
  :: got == ALL -> break
  od;
  atomic { got = 0; ended++ }
}

/* region::set_capacity, or set_limit of lanes. */
active proctype tuner() {
  if
#ifndef TUNER_MUST
  :: skip
#endif
#ifdef WIDTH
  :: lanes = MOST_LANES;
#ifndef BROKEN_more_lanes_call_nobody
     wake_worker(lanes_seen == lanes, lanes, written_seen > taken_seen)
#endif
#else
  :: limit = WIDE;
#ifndef BROKEN_wider_inlet_rings_nobody
     ring_inlet(limit_seen == limit);
#endif
#ifndef BROKEN_wider_inlet_calls_nobody
     wake_worker(limit_seen == limit, lanes_seen, written_seen > taken_seen)
#endif
#endif
  fi;
  ended++
}

/* region::deliver_in_turn with one record: results::push, else space_available::register_waiter. Who has the results' lock sees
 * what was stored under it. */
inline deliver() {
  atomic {
    count_seen = kept;
    emptied = false;
    delivering = false;
    if
    :: results_have_room -> kept++; count_seen = kept; inside--
    :: else -> stuck = true; leaves = true
    fi
  }
  if
  :: atomic { leaves && !bell_lock[RESULTS] ->
       leaves = false;
       bell_lock[RESULTS] = true;
       name_left = true;
       wanting[RESULTS] = true
     };
#ifdef BROKEN_no_fence_behind_the_name
     looked = results_have_room;
#endif
     atomic { !wanting[RESULTS] -> bell_lock[RESULTS] = false };
#ifndef BROKEN_stuck_rings_nobody
     ring_inlet(taken_seen >= taken) /* what was taken was stored under the lock of the region, which this worker had */
#endif
  :: atomic { !leaves -> skip }
  fi
}

#define waits_here (written_seen > taken && !is_shut)
#define may_take (running < lanes_seen && (lanes_seen > 1 || inside == 0) && waits_here)
#define may_deliver (stuck && !delivering)

/* region::activate with a batch of one. */
inline activate() {
  if
  :: atomic { may_deliver -> delivering = true; stuck = false }
  :: atomic { !may_deliver && may_take -> taken++; ticket = taken; running++; inside++ };
     /* What another worker took since may not be seen here: then the bell is left to that one. */
     if
     :: atomic { written_seen - ticket <= limit_seen / 2 -> skip };
        ring_inlet(taken_seen >= ticket)
     :: atomic { else -> skip }
     fi;
#ifdef WIDTH
     if
     :: atomic { lanes_seen > 1 && written_seen > ticket -> skip };
        wake_worker(true, lanes_seen, true)
     :: atomic { else -> skip }
     fi;
     (ticket > 1 || taken > 1); /* the invocation */
#endif
     atomic { ticket = 0; running--; delivering = true }
  :: atomic { !may_deliver && !may_take -> goto done }
  fi;
  deliver();
done:
}

active [WORKERS] proctype worker() {
  byte ticket;
  bool leaves, look;
#ifdef BROKEN_no_fence_behind_the_name
  bool looked;
#endif
  do
  :: atomic { listed > 0 -> listed-- };
     do /* region::attend: one look in any case, since a bell may have called that took a name left after its look;
         * then, at any time, something else may wait for the worker */
#ifndef BROKEN_called_need_not_look
     :: atomic { true -> skip };
#else
     :: atomic { waits_here || stuck -> skip };
#endif
        activate();
#ifndef BROKEN_called_need_not_look
        if
        :: atomic { waits_here || stuck -> skip }
        :: break
        fi
#else
     :: break
#endif
     od;
     /* region::turn_away and possible_task */
#ifdef BROKEN_no_fence_in_attend
     look = may_deliver || may_take;
     attended--;
#else
     attended--;
     look = true;
#endif
     if
#ifndef BROKEN_no_second_look_for_room
#ifdef BROKEN_no_fence_behind_the_name
     :: atomic { look && may_deliver && looked -> look = false; looked = false };
#else
     :: atomic { look && may_deliver && results_have_room -> look = false };
#endif
        atomic { attended++; listed++ } /* wake_worker_to_deliver */
#endif
     :: atomic { look && !may_deliver && may_take -> look = false };
        wake_worker(true, lanes_seen, true)
     :: atomic { else -> look = false }
     fi
  :: ended >= 3 -> break
  od;
  ended++
}

active proctype end_of_run() {
  ended == 3 + WORKERS;
  assert(attended == listed);
  assert(written == ALL && taken == ALL && kept == 0 && !stuck)
}
