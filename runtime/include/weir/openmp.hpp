// <weir/openmp.hpp>: boxes whose bodies use OpenMP, in their own code or in a library. A file that includes it is
// compiled with -fopenmp; the weir library itself does not link OpenMP.
#pragma once

#ifndef _OPENMP
#error "<weir/openmp.hpp>: compile this file with -fopenmp"
#endif

#include <weir/macros_off.hpp>

#include <omp.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include <weir/network/grant.hpp>
#include <weir/record/kept_exception.hpp>

namespace [[gnu::visibility("default")]] weir {

namespace detail {

// OpenMP 5.1, sections 2.7 and 2.4: within a `teams` construct no contention group has more than `thread_limit`
// threads, whatever num_threads(..) and omp_set_num_threads() ask for.
//
// A limit alone does not change omp_get_max_threads(). A library that divides its work by that number, and whose parts
// wait for each other, would wait for ever for the threads that the limit denies it: OpenBLAS does. So the number is
// lowered, too. That is done outside: a `teams` construct may not contain such a call.
//
// In gcc's library the number of the team is one variable of the process. So where two threads do this at the same time
// the body may be skipped, or called a second time: hence the loop, and the flag.
template <class F>
void in_one_team(int threads, F& f) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(std::min(before, threads));
  bool is_done = false;
  while (!is_done) {
#pragma omp teams num_teams(1) thread_limit(threads)
    if (!is_done) {
      is_done = true;
      f();
    }
  }
  omp_set_num_threads(before);
}

}  // namespace detail

// Runs f, returns its result and passes its exceptions on; a pthread_exit in it fails the record, as elsewhere. f must
// be callable without arguments; it runs on the calling thread, which is that of the invocation.
template <class F>
auto grant::openmp(F&& f) const {
  using result = std::invoke_result_t<F&>;
  std::exception_ptr thrown;  // no exception may leave a region of OpenMP
  std::conditional_t<std::is_void_v<result>, bool, std::optional<result>> value{};
  const auto body = [&] {
#pragma omp parallel num_threads(size())
    bind_this_thread();
    try {
      if constexpr (std::is_void_v<result>)
        f();
      else
        value.emplace(f());
    } catch (...) {
      thrown = detail::kept_exception();
    }
  };
  detail::in_one_team(size(), body);
  if (thrown) std::rethrow_exception(thrown);
  if constexpr (!std::is_void_v<result>) return std::move(*value);
}

}  // namespace weir

#include <weir/macros_back.hpp>
