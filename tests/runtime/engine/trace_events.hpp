#pragma once

#include <string>

#include <weir/engine/trace.hpp>

// Events in the form in which a run adds them.
namespace weir::testing {

inline trace_event invocation(int core, double start, double end, const std::string& entity = "f") {
  trace_event e;
  e.start = start;
  e.seconds = end - start;
  e.core = core;
  e.cores = e.width = 1;
  e.entity = entity;
  return e;
}

inline trace_event happened(trace_kind kind, double start, const std::string& entity, const std::string& detail = "") {
  trace_event e;
  e.kind = kind;
  e.start = start;
  e.entity = entity;
  e.detail = detail;
  return e;
}

inline trace_event move(double start, const std::string& entity, int cores, int width) {
  trace_event e = happened(trace_kind::move, start, entity, "f 2 cores x 2 lanes {0-1}");
  e.cores = cores;
  e.width = width;
  return e;
}

// Events of every kind, added in no particular order.
inline tracer one_of_each() {
  tracer t;
  t.add(invocation(1, 0.004, 0.006, "g"));
  t.add(move(0.001, "f", 2, 2));
  t.add(invocation(0, 0.002, 0.009));
  trace_event held = invocation(0, 0.003, 0.008);
  held.kind = trace_kind::block;
  t.add(held);
  t.add(happened(trace_kind::unblock, 0.008, "f"));
  t.add(happened(trace_kind::unfold, 0.0015, "f", "instance 7"));
  t.add(happened(trace_kind::remove, 0.010, "f", "instance 7"));
  t.add(happened(trace_kind::error, 0.009, "f", "the box threw \"x\""));
  t.add(invocation(-1, 0.005, 0.007, "h"));
  return t;
}

}  // namespace weir::testing
