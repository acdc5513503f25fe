/* When a run has drained whose records go straight from rank to rank: runtime/placed/hosted_results.cpp (pack, is_over,
 * takes) and call_receiver.cpp (give, fail, finish_call). The home sends one call to rank 1, and closes its input. What
 * leaves rank 1 goes to rank 2, from there to rank 3, and from there home. At each rank a record may become two, FORKS times
 * in all, may be absorbed, may end by an error (ERRORS times), of which the home is told, or leaves. Rank 1 has two threads.
 *
 * The last record of a part of the call takes it along, unless others went on or the home was told of an error. Else each
 * record that goes on is a part of its own at the next level, and the last that is gone says at home how many went on.
 *
 * What must hold: when the home is said to have drained, nothing of the call is left at any rank, on its way, or in the
 * inlet at home, and all that left rank 3 came through. An error comes while its call is not over. In the end the home is
 * said to have drained.
 *
 * Messages from one rank to another keep their order, those of several ranks do not. remote_calls.pml has how work is
 * counted when records come home. Every BROKEN_ variant must fail.
 */

#ifndef FORKS
#define FORKS 2
#endif
#ifndef ERRORS
#define ERRORS 1
#endif
#define PARTS (FORKS + 1)   /* of the call, at one rank */
#define FARS 3

mtype = { gives, part_over, failed };

byte work;                  /* at home */
bool closed, drained, is_over;
byte inlet, through;        /* at home: records that came back, and were run */
byte given;                 /* records that left rank 3 */
byte forks, errors;
short open[FARS];           /* at home: by level, parts started minus parts finished; 0 is the call itself */

byte parts[FARS];           /* at each rank, as the next four by part: */
byte holders[FARS * PARTS]; /* records of it */
byte went[FARS * PARTS];    /* how many went on from it */
bool told[FARS * PARTS];    /* the home was told of an error in it */
byte level[FARS * PARTS];

chan listed[FARS] = [PARTS] of { byte };                  /* records that a thread may run, by their part */
chan to_rank[FARS] = [PARTS] of { byte };                 /* by their level */
chan to_home[FARS] = [2 * PARTS] of { mtype, byte, byte };

#define at(part) (rank * PARTS + part)
#if defined(BROKEN_takes_the_call_along_behind_others)
#define is_alone(part) (!told[at(part)])
#elif defined(BROKEN_takes_the_call_along_behind_an_error)
#define is_alone(part) (went[at(part)] == 0)
#else
#define is_alone(part) (went[at(part)] == 0 && !told[at(part)])
#endif

inline finish_work() {
  d_step { work--; nothing = (work == 0) };
  if
  :: nothing && closed ->
     if
     :: d_step { work == 0 && !drained -> drained = true };
        assert(inlet == 0 && given == through && is_over);
        assert(empty(to_rank[0]) && empty(to_rank[1]) && empty(to_rank[2]));
        assert(empty(to_home[0]) && empty(to_home[1]) && empty(to_home[2]));
        assert(empty(listed[0]) && empty(listed[1]) && empty(listed[2]))
     :: else
     fi
  :: else
  fi
}

active proctype sender() {
  bool nothing;
  work = 2;  /* one for itself */
  open[0] = 1;
  to_rank[0]!0;
  closed = true;
  finish_work()
}

inline let_go() {
  d_step { holders[at(part)]--; is_last = (holders[at(part)] == 0) };
  if
  :: is_last -> to_home[rank]!part_over(level[at(part)], went[at(part)])
  :: else
  fi
}

/* A thread of a rank, which also takes in what comes. */
proctype runs(byte rank) {
  byte part, deep;
  bool is_last, nothing;
  end: do
  :: atomic { to_rank[rank]?deep ->
       assert(parts[rank] < PARTS);
       part = parts[rank];
       parts[rank]++;
       level[at(part)] = deep;
       holders[at(part)] = 1;
       listed[rank]!part;
       deep = 0; part = 0 }
  :: listed[rank]?part ->
     if
     :: d_step { forks < FORKS -> forks++ };              /* it becomes two */
        atomic { holders[at(part)]++; listed[rank]!part; listed[rank]!part }
     :: true -> let_go()                                  /* it is absorbed */
     :: d_step { errors < ERRORS -> errors++ };               /* it ends by an error */
        told[at(part)] = true;
        to_home[rank]!failed(0, 0);
        let_go()
     :: rank == FARS - 1 ->                               /* it goes home */
        is_last = (holders[at(part)] == 1);
        atomic { to_home[rank]!gives(level[at(part)], is_last); given++ };
        if
        :: is_last -> holders[at(part)] = 0
        :: else -> let_go()
        fi
     :: rank < FARS - 1 ->                                /* it goes on */
#ifdef BROKEN_asks_who_went_on_first
        is_last = is_alone(part);
        is_last = is_last && holders[at(part)] == 1;
#else
        is_last = (holders[at(part)] == 1);
        is_last = is_last && is_alone(part);
#endif
        if
        :: is_last ->
           holders[at(part)] = 0;
           to_rank[rank + 1]!level[at(part)]
        :: else ->
#ifdef BROKEN_lets_go_before_it_counts
           d_step { holders[at(part)]--; is_last = (holders[at(part)] == 0) };
           went[at(part)]++;
           to_rank[rank + 1]!(level[at(part)] + 1);
           if
           :: is_last -> to_home[rank]!part_over(level[at(part)], went[at(part)])
           :: else
           fi
#else
           went[at(part)]++;
           to_rank[rank + 1]!(level[at(part)] + 1);
           let_go()
#endif
        fi
     fi;
     part = 0; is_last = false
  od
}

inline part_is_done(n) {
  d_step {
#ifdef BROKEN_counts_all_levels_together
    open[0]--;
    open[0] = open[0] + n;
#else
    open[deep]--;
    if
    :: n > 0 -> open[deep + 1] = open[deep + 1] + n
    :: else
    fi;
#endif
#ifdef BROKEN_counts_only_the_first_level
    nothing = (open[0] == 0 && open[1] == 0)
#else
    nothing = (open[0] == 0 && open[1] == 0 && open[2] == 0)
#endif
  };
  if
  :: nothing ->
     assert(!is_over);
     is_over = true;
     finish_work()
  :: else
  fi
}

/* The communicator of the home. */
active proctype communicator() {
  mtype what;
  byte deep, n;
  bool nothing;
  end: do
  :: atomic {
       if
       :: to_home[0]?what(deep, n)
       :: to_home[1]?what(deep, n)
       :: to_home[2]?what(deep, n)
       fi };
     if
     :: what == failed -> assert(!is_over)
     :: what == gives ->
        assert(!is_over);
        d_step { work++; inlet++ };
        if
        :: n == 1 -> part_is_done(0)
        :: else
        fi
     :: what == part_over -> part_is_done(n)
     fi;
     d_step { what = 0; deep = 0; n = 0; nothing = false }
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

init {
  atomic { run runs(0); run runs(0); run runs(1); run runs(2) }
}
