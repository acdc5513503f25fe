/* The stream hand-over of runtime/streams/stream.hpp and runtime/engine/region.cpp: two writers put records into one bounded stream, one
 * of them a thread that sleeps while there is no room (space_available::wait), the other a region that leaves its name
 * (space_available::register_waiter). Two workers take the region behind the stream off a list, run one record at a time, in up to
 * LANES activations at once, and turn away.
 *
 * What must hold: a stream never holds more than its limit; what a writer puts in comes out in its order; all that is
 * put in comes out, and no writer sleeps for ever - else everybody waits, which spin reports as an invalid end state;
 * at the end every place on the list is one that is counted in attended.
 *
 * Promela is sequentially consistent, memory is not. What that means here is written out:
 *   - a store is seen by its own thread at once and by others later. `written` and `taken` are the stream's two indices
 *     as stored, `written_seen` and `taken_seen` as others see them; the processes `*_leaves_buffer` move one on to the
 *     other at any time. wanted_ is the same: `wanting` is a store of true that is on its way.
 *   - a load may be done before a store or read-modify-write in front of it. In broken variants the look is done before.
 *   - a sequentially consistent fence waits until the stores in front of it are seen, and holds back the loads behind it.
 * What is done under a lock and touches only what the lock guards is one step, but for single loads and stores.
 * Every BROKEN_ variant must fail.
 */

#ifndef RECORDS
#define RECORDS 2 /* of each writer */
#endif
#define WRITERS 2
#define ALL (WRITERS * RECORDS)
#ifndef CAPACITY
#define CAPACITY 1
#endif
#ifndef LANES
#define LANES 2
#endif
#define NOTHING 0

/* The stream. A record is 16 x its writer + its number, from 1. */
byte slot[CAPACITY];
byte slot_seen[CAPACITY];
byte written, written_seen;
byte taken, taken_seen;

/* space_available */
bool bell_lock;
bool wanted, wanting; /* wanting: a store of true, under the lock, that is not seen yet */
byte sleepers;
bool notified; /* of the one that may sleep */
bool name_left;
bool called; /* wake_worker_to_deliver of the region that writes */

/* region */
byte attended, listed, running;
byte turn;
byte finished[ALL];

byte delivered;
byte last[WRITERS];
byte ended;

active proctype written_leaves_buffer() {
end:
  do
#ifdef BROKEN_index_is_not_released /* the index may be seen before the record */
  :: atomic { written_seen < written -> written_seen++ }
  :: atomic { slot_seen[0] != slot[0] -> slot_seen[0] = slot[0] }
#else
  :: atomic { written_seen < written ->
       slot_seen[written_seen % CAPACITY] = slot[written_seen % CAPACITY];
       written_seen++ }
#endif
  od
}

active proctype taken_leaves_buffer() {
end:
  do
  :: atomic { taken_seen < taken -> taken_seen++ }
  od
}

active proctype wanted_leaves_buffer() {
end:
  do
  :: atomic { wanting -> wanted = true; wanting = false }
  od
}

/* region::wake_worker behind its fence. waits: what the caller sees wait in the stream (is_crowded, batches of one). */
inline wake_worker(waits) {
  if
  :: atomic { attended == 0 || (attended < LANES && waits) -> attended++ };
     listed++
  :: atomic { else -> skip }
  fi
}

/* region::push of one record. room: whether there was some. */
inline push(record) {
#ifdef BROKEN_writers_are_not_serialised
  room = written - taken_seen < CAPACITY;
#endif
  atomic {
#ifndef BROKEN_writers_are_not_serialised
    room = written - taken_seen < CAPACITY;
#endif
    if
    :: room ->
       slot[written % CAPACITY] = record;
       written++;
       mine = written;
       assert(written - taken <= CAPACITY)
    :: else
    fi
  }
  if
  :: room ->
#ifndef BROKEN_no_fence_in_wake_worker
     (written_seen >= mine);
#endif
     mine = 0;
     wake_worker(written > taken_seen)
  :: else
  fi
}

/* A thread that sends: run_input::send, or a box in the middle of emitting. */
active proctype writer_thread() {
  byte sent = 1, mine;
  bool room;
  do
  :: sent <= RECORDS ->
     push(sent);
     if
     :: room -> sent++
     :: else -> /* space_available::wait */
        atomic { !bell_lock -> bell_lock = true; sleepers++; wanting = true }
#ifndef BROKEN_no_fence_in_wait
        (!wanting);
#endif
        do
        :: atomic { written - taken_seen < CAPACITY -> break }
        :: atomic { else -> notified = false }
           atomic { !wanting -> bell_lock = false } /* sleeps */
           atomic { notified && !bell_lock -> bell_lock = true }
        od;
        atomic { !wanting -> sleepers--; bell_lock = false }
     fi
  :: else -> break
  od;
  ended++
}

/* A region whose outputs go into the stream: it keeps what found no room, and its worker turns away. */
active proctype writer_region() {
  byte sent = 1, mine;
  bool room;
  do
  :: sent <= RECORDS ->
     push(16 + sent);
     if
     :: room -> sent++
     :: else -> /* deliver_in_turn: space_available::register_waiter, and one more look */
        atomic { !bell_lock -> bell_lock = true; name_left = true; wanting = true }
#ifdef BROKEN_no_fence_in_leave_name
        room = written - taken_seen < CAPACITY;
        atomic { !wanting -> bell_lock = false }
#else
        atomic { !wanting -> bell_lock = false }
        room = written - taken_seen < CAPACITY;
#endif
        if
#ifndef BROKEN_no_second_look_for_room
        :: room
#endif
        :: atomic { called && !room -> called = false }
#ifdef BROKEN_no_second_look_for_room
        :: atomic { called -> called = false }
#endif
        fi
     fi
  :: else -> break
  od;
  ended++
}

/* space_available::ring by who made room, up to the index `popped`. The stores of wanted_ under the lock need no buffer: who
 * sees an older one rings once too often. */
inline ring(popped) {
#ifndef BROKEN_no_fence_in_ring
  (taken_seen >= popped);
#endif
  if
  :: wanted ->
     atomic {
       !bell_lock ->
       if
       :: name_left -> name_left = false; called = true
       :: else
       fi;
#ifdef BROKEN_bell_forgets_sleepers
       wanted = false
#else
       wanted = sleepers > 0;
       notified = true
#endif
     }
  :: else
  fi
}

inline deliver() {
  assert(record % 16 == last[record / 16] + 1);
  last[record / 16] = record % 16;
  delivered++;
  record = NOTHING
}

/* Outputs leave in the order of the tickets: region::finish and deliver_in_turn. */
inline finish() {
#ifdef BROKEN_outputs_leave_as_they_finish
  atomic { running--; turn++; deliver(); ticket = 0 }
#else
  atomic {
    running--;
    if
    :: turn != ticket -> finished[ticket] = record; record = NOTHING
    :: else
    fi;
    ticket = 0
  }
  do
  :: atomic {
       record != NOTHING ->
       deliver();
       turn++;
       if
       :: turn < ALL -> record = finished[turn]; finished[turn] = NOTHING
       :: else
       fi
     }
  :: atomic { else -> break }
  od
#endif
}

/* region::activate with a batch of one. */
inline activate() {
  if
  :: atomic {
       running < LANES && written_seen > taken ->
       ticket = taken;
       record = slot_seen[taken % CAPACITY];
       taken++;
       running++;
       assert(record != NOTHING)
     }
     /* What another worker took since may not be seen here: then the bell is left to that one. */
     if
     :: written_seen - (ticket + 1) <= CAPACITY / 2 -> ring(ticket + 1)
     :: else
     fi;
     if
     :: LANES > 1 && written_seen > ticket + 1 -> wake_worker(true)
     :: else
     fi;
     finish()
  :: atomic { else -> skip }
  fi
}

active [2] proctype worker() {
  byte ticket, record;
  bool look;
  do
  :: atomic { listed > 0 -> listed-- };
     do /* region::attend: at any time something else may wait for the worker */
     :: written_seen > taken -> activate()
     :: break
     od;
#ifdef BROKEN_no_fence_in_attend
     look = written_seen > taken;
     attended--;
#else
     attended--;
     look = written_seen > taken;
#endif
#ifndef BROKEN_no_second_look_for_records
     if /* region::possible_task */
     :: look ->
        look = running < LANES && written_seen > taken;
        if
        :: look -> wake_worker(true)
        :: else
        fi
     :: else
     fi;
#endif
     look = false
  :: delivered == ALL -> break
  od;
  ended++
}

active proctype end_of_run() {
  ended == 4;
  assert(attended == listed);
  assert(written == ALL && taken == ALL)
}
