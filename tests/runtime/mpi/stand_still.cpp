// Ranks one of which stands still, or ends, while the session is made and its first run starts. Each says how that
// ends: the run gives all, or an error says who did not come. A rank that stood still may say either.
//
//     mpirun --enable-recovery -n 3 stand_still stop|kill VICTIM MICROSECONDS SECONDS
//
// stop: by SIGSTOP, MICROSECONDS after all ranks have begun, and by SIGCONT SECONDS later. kill: by SIGKILL.
// Status 0: it ended as it is to.
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include <weir/mpi.hpp>
#include <weir/weir.hpp>

using namespace weir;

namespace {

constexpr tag number{"number"};
constexpr int records = 100;

// By a child process, which goes on meanwhile.
void stand_still(const std::string& how, long moment, unsigned seconds) {
  const pid_t self = getpid();
  if (fork() != 0) return;
  usleep(static_cast<useconds_t>(moment));
  kill(self, how == "kill" ? SIGKILL : SIGSTOP);
  sleep(how == "kill" ? 0 : seconds);
  kill(self, SIGCONT);
  _exit(0);
}

// The number of records that arrived, -1 at other ranks than the first.
int run() {
  // More than a rank stands still, and less than a test may take.
  mpi::session ranks({.begin_within = std::chrono::seconds(8)});
  const network net = at(box("next", takes(number), gives(number), [](std::int64_t n) { return n + 1; }), 1);
  auto [run, report] = mpi::start(net);
  if (!run) return -1;
  for (int i = 0; i < records; ++i) run->send(number = i);
  run->close();
  int got = 0;
  for (const record& r : *run) got += static_cast<int>(r.contains(number));
  return got;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 6;
  const int victim = std::atoi(argv[2]);
  int level = 0, rank = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == victim) stand_still(argv[1], std::atol(argv[3]), static_cast<unsigned>(std::atoi(argv[4])));
  std::string error;
  try {
    const int got = run();
    if (got >= 0 && got != records) error = "wrong: " + std::to_string(got) + " records came";
  } catch (const std::exception& thrown) {
    error = thrown.what();
  }
  const std::string name = "rank " + std::to_string(victim);
  const bool is_right = error.empty() || rank == victim || error.find(name) != std::string::npos ||
                        error.find("not all of the ") != std::string::npos;
  std::printf("rank %d: %s\nend %d\n", rank, error.empty() ? "all went well" : error.c_str(), is_right ? 0 : 1);
  std::fflush(stdout);
  _exit(is_right ? 0 : 1);  // MPI_Finalize would wait for a rank that is lost
}
