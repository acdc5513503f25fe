#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace [[gnu::visibility("default")]] weir {

// The kinds of events.
enum class trace_kind {
  invocation,  // a box ran; written when it is over
  move,        // a component got other cores
  block,       // a box that emits was held back; written when it is over
  unblock,     // that box goes on
  unfold,      // a part of the network came into being
  remove,      // a part of the network ended
  error        // a record came to its end by an error
};

// One event of a run. Plain data.
struct trace_event {
  trace_kind kind{};   // what happened
  double start = 0;    // seconds since the run's start
  double seconds = 0;  // wall-clock duration of an invocation or a block; else 0
  int core = -1;       // the first core of the lane where it happened; -1: a thread of the caller's
  int cores = 0;       // invocation: of the lane; move: of the component from now on
  int width = 0;       // lanes of the component; move: from now on
  double x = 0;        // invocation: predictor value
  std::string entity;  // name of the component, or of the scope that was unfolded or removed
  std::string path;    // the entity's place, such as ":S2:R7"
  std::string detail;  // error: the cause; move: the allotment in words; block: the reason;
                       // invocation: "end of input" where a fold finishes
};

// Collects the events of runs, for a timeline viewer. A handle: copies share what they collect, so keep one and give
// another to options::trace. Thread-safe.
class tracer {
 public:
  // Keeps the first `most` events, and of each second the first `most_a_second`; others are only counted. An event
  // takes about 150 bytes, and nearly as much again as JSON. The default, two minutes of 2000 invocations a second,
  // bounds a forgotten tracer to some 40 MB. Its file then has 40 MB as well, which a browser still opens in seconds.
  explicit tracer(std::size_t most = std::size_t{1} << 18,
                  std::size_t most_a_second = std::numeric_limits<std::size_t>::max());

  // Threads that add at the same time seldom meet: they write to different buffers.
  void add(trace_event e) const;

  // All events added before the call, in order of start to the nanosecond; an event that encloses others comes before
  // them.
  std::vector<trace_event> events() const;

  std::uint64_t dropped() const;  // events that were only counted

  // All events in the Trace Event Format of the Chromium project (JSON Object Format), which Perfetto and
  // chrome://tracing open. There is one track per core, named "core 3", and one for the caller's threads; all are in
  // one process.
  //   `invocation`, `block`: complete events ("X") on the track of their core.
  //   `move`: a counter ("C") "cores of <component>" and a global instant ("i").
  //   `unblock`, `unfold`, `remove`, `error`: instants on the track of their core, as is a block without seconds.
  // Spans on a track nest: a box that ran inside another's emit lies in it. Viewers drop a span that overlaps another
  // only in part, so it goes to a further track of the core, "core 3 (2)". This happens when several of the caller's
  // threads run boxes at the same time. A lane of several cores is drawn on its first one; "cores" in its args says how
  // many. Times that are not finite count as 0, other such numbers become null, and invalid UTF-8 is replaced.
  std::string chrome_json() const;

  // Writes chrome_json() to a temporary file next to this one and renames it, so that a reader never sees half of it; a
  // device or pipe is written directly. Throws std::runtime_error that names the file and the reason, leaving what was
  // there.
  void write(const std::string& file) const;

 private:
  struct [[gnu::visibility("hidden")]] state;
  std::shared_ptr<state> state_;
};

// One of several runs in a file.
struct named_trace {
  std::string name;  // of its process in the file
  tracer events;     // what was collected of it
};

// As tracer::chrome_json() of one run, with a process for each, named as the run is.
std::string chrome_json(const std::vector<named_trace>& runs);

}  // namespace weir
