#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace weir {

// The average load that arrives at a queue. Plain data.
struct offered_load {
  double rate = 0;       // jobs a second
  double service = 0;    // mean seconds of one job on one server
  double variation = 0;  // squared coefficient of variation of the service: variance over squared mean
  double batch = 1;      // jobs that arrive together
};

// The load of a queue that several kinds of job share. A value.
class shared_queue {
 public:
  void add(const offered_load& one);
  offered_load load() const;       // of all kinds together
  double wait(int servers) const;  // waiting_time of load()

 private:
  double rate_ = 0, work_ = 0, square_ = 0;  // sums of rate, rate E[T] and rate E[T^2]
};

// A kind of job that shares a queue by weights. Plain data.
struct weighted_work {
  double weight = 1;  // above 0
  double busy = 0;    // part of the servers' time that its jobs need
};

// The wait of each kind, in the order given, over that of first come, first served. Priorities depend on the
// delay: the job is served next whose wait times its weight is the largest (Kleinrock, A delay dependent queue
// discipline, Naval Research Logistics Quarterly 11, 1964). With b the weights in ascending order, rho the busy parts
// of the servers' time, and W the waits over that of first come, first served,
//
//   W_p = (1 - sum_{i<p} rho_i W_i (1 - b_i/b_p)) / (1 - sum_{i>p} rho_i (1 - b_p/b_i)).
//
// It is exact for that discipline on one server. Equal weights give 1, and a weight without bound gives Cobham's
// formula. A group is served by start-time fair queueing instead (work_list.hpp of runtime/engine), whose waits have no
// closed form; bench/measurements/flow_accuracy says how near this is. O(n log n).
std::vector<double> waits_by_weight(const std::vector<weighted_work>& kinds);

// The probability that a job finds all of `servers` servers busy, when they are busy a part `rho` of their time:
// rho^(sqrt(2 (w + 1)) - 1), as waiting_time() implies. At most 1; exact for M/M/1. It is the first of `batch` jobs
// that arrive together; the excess of the exponent over 1 is then multiplied by w / (w + batch - 1).
double busy_probability(double rho, int servers, double batch = 1);

// The mean seconds that a job waits before its service begins, on `servers` equal servers with one queue and Poisson
// arrivals. With rho = rate T / w for w servers it is
//
//   T/w * rho^(sqrt(2 (w + 1)) - 1) / (1 - rho) * (1 + c^2)/2.
//
// It is infinite for rho >= 1. With one server it is exact for any service times, by Pollaczek and Khinchine:
//
//   rho T (1 + c^2) / (2 (1 - rho)).
//
// If b jobs arrive together (offered_load::batch), it is the wait of the first. The first 1 of (1 + c^2)/2 becomes b,
// and the exponent is that of busy_probability(). With one server that is exact, too: a batch finds the work of M/G/1
// whose jobs are batches. With more it is fitted to simulations of 4 and 8 servers.
//
// With more servers it is Sakasegawa's approximation of M/M/w (An approximation formula Lq = a rho^b / (1 - rho), Ann.
// Inst. Stat. Math. 29, 1977), scaled by (1 + c^2)/2. The scaling follows Lee and Longton (Queueing processes
// associated with airline passenger check-in, Op. Res. Quarterly 10, 1959). For single jobs, against simulated M/M/2,
// M/M/4 and M/M/8 the error is a tenth at most at rho = 0.8, and 3 % of T at 0.5.
double waiting_time(const offered_load& load, int servers);

// The invocations a second of `width` lanes of floor or ceil(cores/width) cores, all together. `seconds` gives the time
// of one invocation on a number of cores. REQUIRES: 1 <= width <= cores.
template <typename Seconds>
double rate_of_lanes(int cores, int width, const Seconds& seconds) {
  const int small = cores / width, larger = cores % width;
  return (width - larger) / seconds(small) + (larger > 0 ? larger / seconds(small + 1) : 0.0);
}

// The mean seconds of one invocation there. It is the mean over the records; a faster lane takes more of them.
template <typename Seconds>
double seconds_in_lanes(int cores, int width, const Seconds& seconds) {
  return cores % width == 0 ? seconds(cores / width) : width / rate_of_lanes(cores, width, seconds);
}

// A component as a queue and the servers behind it, which are its lanes. Plain data.
struct station {
  offered_load load;
  int servers = 1;

  double pace() const { return load.service / servers; }  // seconds a job while all servers are busy

  // The mean seconds that a job waits. Where the station shares its servers, the wait in the queue of all that do is
  // `shared`; none waits less than it would alone.
  double wait(double shared = 0) const { return std::max(waiting_time(load, servers), shared); }

  // The seconds until the last of `copies` of a job is over, after the first.
  double delay(double copies) const { return std::max(0.0, copies * pace() - load.service); }
};

// The places that a queue needs, the one in service included, so that a job finds them all taken with at most the given
// probability. Arrivals and services are Poisson, and the server is busy `rho` of the time. The result is in jobs,
// rounded up, within [least, most].
//
// The blocking probability of M/M/1/K is P = (1 - rho) rho^K / (1 - rho^(K+1)). Its inverse is as follows, except that
// it is 1/P - 1 for a rho of 1:
//
//   K = ln(P / (1 - rho + P rho)) / ln(rho).
//
// This is equation 8 of Beard, Chamberlain and Franklin (Simple Analytic Performance Models for Streaming Data
// Applications, WUCSE-2013-2), whose print does not invert P. If rho is so large that no K suffices (P < 1 - 1/rho),
// the result is `most`.
//
// Throws std::invalid_argument naming the argument when the probability is not in (0, 1), when rho is negative or NaN,
// or when the bounds are not 1 <= least <= most.
std::size_t queue_capacity(double rho, double blocking_probability, std::size_t least, std::size_t most);

}  // namespace weir
