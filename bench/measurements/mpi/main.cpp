// The cost of going from rank to rank by weir::mpi, compared with programs that call MPI themselves: two ranks, in
// turns.
//
//     mpirun -n 2 mpi_cost

#include <fmt/format.h>
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <weir/mpi/session.hpp>
#include "bench/measurements/mpi/ours.hpp"
#include "bench/measurements/mpi/plain.hpp"
#include "bench/support/quantile.hpp"
#include "runtime/mpi/session_access.hpp"

namespace {

struct row {
  std::string name, unit;
  std::function<double()> with_mpi;  // seconds; none: not measured
  std::function<double(ours::transport&)> with_weir;
  std::function<double(double)> shown;  // of seconds, in the unit
  bool more_is_better;
};

row hop_row(std::size_t bytes, bool as_blob) {
  const int times = static_cast<int>(std::max<std::size_t>(100, std::min<std::size_t>(2000, 200'000'000 / bytes)));
  const auto ours = [=](ours::transport& t) { return ours::hop(t, bytes, as_blob, times); };
  const auto theirs = [=] { return plain::hop(bytes, times); };
  if (bytes < 100'000)
    return {fmt::format("a hop of {} B", bytes), "us", theirs, ours, [](double s) { return s * 1e6; }, false};
  return {fmt::format("parts of {} kB", bytes / 1024),
          "GB/s",
          theirs,
          ours,
          [=](double s) { return static_cast<double>(bytes) / s / 1e9; },
          true};
}

}  // namespace

int main(int argc, char** argv) {
  int rounds = 7;
  std::uint64_t count = 1'000'000;
  double idle_seconds = 3, rest_seconds = 0.6;
  int firsts = 10;
  CLI::App app{"The cost of weir::mpi"};
  app.add_option("--rounds", rounds);
  app.add_option("--records", count);
  app.add_option("--idle", idle_seconds);
  app.add_option("--rest", rest_seconds, "Seconds without messages before the first one");
  app.add_option("--firsts", firsts, "How many of these");
  std::string only;
  app.add_option("--only", only, "Rows whose name begins like this");
  CLI11_PARSE(app, argc, argv);
  int provided = 0, rank = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  std::vector<row> rows;
  for (const std::size_t bytes : {8u, 64u, 1024u}) rows.push_back(hop_row(bytes, false));
  rows.push_back({"a hop of 64 B from thread to thread", "us", [] { return plain::hop(64, 2000); },
                  [](ours::transport& t) { return ours::hop_between_threads(t, 64, 2000); },
                  [](double s) { return s * 1e6; }, false});
  for (const std::size_t kb : {64u, 256u, 1024u, 4096u, 16384u}) rows.push_back(hop_row(kb * 1024, true));
  const std::uint64_t records = count / 2048 * 2048;
  rows.push_back({"records of 64 B", "million/s", [=] { return plain::records(records); },
                  [=](ours::transport& t) { return ours::records(t, records); },
                  [=](double s) { return static_cast<double>(records) / s / 1e6; }, true});

  std::erase_if(rows, [&](const row& r) { return !r.name.starts_with(only); });

  std::vector<std::vector<double>> plain_times(rows.size()), our_times(rows.size());
  double idle = 0;
  std::vector<double> first;
  for (int round = 0; round <= rounds; ++round)  // the first is not counted
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double theirs = rows[i].with_mpi();
      double own = 0;
      {
        const weir::mpi::session s;
        ours::transport& t = *weir::detail::mpi::transport_of_session();
        own = rows[i].with_weir(t);
        if (round == rounds && i + 1 == rows.size()) {
          idle = ours::idle(t, idle_seconds);
          first = ours::first_after_rest(t, rest_seconds, firsts);
        }
      }
      if (round == 0) continue;
      plain_times[i].push_back(theirs);
      our_times[i].push_back(own);
    }
  if (rank == 0) {
    fmt::print("{:38} {:>10} {:>10} {:>10} {:>8}\n", "", "", "MPI", "weir", "ratio");
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::vector<double> ratios;
      for (std::size_t r = 0; r < our_times[i].size(); ++r)
        ratios.push_back(rows[i].more_is_better ? plain_times[i][r] / our_times[i][r]
                                                : our_times[i][r] / plain_times[i][r]);
      const auto median = [](std::vector<double> v) { return weir::program::quantile(std::move(v), 0.5); };
      fmt::print("{:38} {:>10} {:10.3g} {:10.3g} {:8.3g}\n", rows[i].name, rows[i].unit,
                 rows[i].shown(median(plain_times[i])), rows[i].shown(median(our_times[i])), median(ratios));
    }
    fmt::print("idle: {:.2f} % of a core\n", idle * 100);
    if (!first.empty())
      fmt::print("there and back after {} s at rest: {:.2f} ms, at most {:.2f} ms\n", rest_seconds,
                 weir::program::quantile(first, 0.5) * 1e3, *std::max_element(first.begin(), first.end()) * 1e3);
  }
  MPI_Finalize();
  return 0;
}
