// A link between two network namespaces that delays and loses packets: a kernel without netem has no other. It carries
// the IP packets of two TUN devices of one name, which are there already, until it is killed.
//
//     mpi_link FROM TO DEVICE [--delay MS] [--jitter MS] [--loss PERCENT] [--rate MBIT/S] [--seed N]
//
// Each direction loses a packet by chance. Others wait until those before them were put on the wire at the rate. They
// arrive after the delay and up to the jitter more, never before an earlier one. SIGUSR1 with a value (sigqueue) cuts
// the link for that number of milliseconds, 0: for ever. Packets sent meanwhile are lost, those on their way arrive.
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <deque>
#include <random>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace {

using clock_type = std::chrono::steady_clock;
using time_point = clock_type::time_point;
using seconds = std::chrono::duration<double>;

constexpr double longest_queue = 0.1;  // seconds at the rate; what comes then is lost
constexpr int read_in_turn = 64;       // packets, before the other direction has its turn

struct conditions {
  double delay = 0, jitter = 0, loss = 0, rate = 0;  // ms, ms, percent, Mbit/s; rate 0: none
};

clock_type::duration after(double s) { return std::chrono::duration_cast<clock_type::duration>(seconds(s)); }

int checked(int result, const std::string& what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

// The device of this name in a namespace that `ip netns add` made.
int open_device(const std::string& name_space, const std::string& device) {
  const std::string path = "/var/run/netns/" + name_space;
  const int there = checked(open(path.c_str(), O_RDONLY), path);
  checked(setns(there, CLONE_NEWNET), path);
  close(there);
  const int made = checked(open("/dev/net/tun", O_RDWR | O_NONBLOCK), "/dev/net/tun");
  ifreq asked{};
  asked.ifr_flags = IFF_TUN | IFF_NO_PI;
  device.copy(asked.ifr_name, IFNAMSIZ - 1);
  checked(ioctl(made, TUNSETIFF, &asked), device + " in " + name_space);
  return made;
}

class direction {
 public:
  direction(int from, int to, const conditions& c, unsigned seed) : from_(from), to_(to), c_(c), random_(seed) {}

  void take(time_point now, bool is_cut) {
    for (int i = 0; i < read_in_turn; ++i) {
      std::array<char, 65536> bytes;
      const ssize_t size = read(from_, bytes.data(), bytes.size());
      if (size <= 0) return;
      if (chance(100) < c_.loss || is_cut) continue;
      if (c_.rate > 0) {
        if (free_at_ - now > after(longest_queue)) continue;
        free_at_ = std::max(free_at_, now) + after(static_cast<double>(size) * 8 / (c_.rate * 1e6));
      } else {
        free_at_ = now;
      }
      last_ = std::max(last_, free_at_ + after((c_.delay + chance(c_.jitter)) / 1e3));
      on_the_way_.push_back({last_, {bytes.data(), static_cast<std::size_t>(size)}});
    }
  }

  // When the next arrives.
  time_point deliver(time_point now) {
    for (; !on_the_way_.empty() && on_the_way_.front().due <= now; on_the_way_.pop_front()) {
      const std::string& bytes = on_the_way_.front().bytes;
      if (write(to_, bytes.data(), bytes.size()) < 0 && errno != EAGAIN && errno != ENOBUFS && errno != EIO)
        checked(-1, "a packet");  // EIO: the device is down
    }
    return on_the_way_.empty() ? time_point::max() : on_the_way_.front().due;
  }

 private:
  struct packet {
    time_point due;
    std::string bytes;
  };
  double chance(double most) { return std::uniform_real_distribution<double>(0, 1)(random_) * most; }

  const int from_, to_;
  const conditions c_;
  std::mt19937_64 random_;
  time_point free_at_{}, last_{};
  std::deque<packet> on_the_way_;
};

void carry(int a, int b, const conditions& c, unsigned seed) {
  sigset_t cuts;
  sigemptyset(&cuts);
  sigaddset(&cuts, SIGUSR1);
  checked(sigprocmask(SIG_BLOCK, &cuts, nullptr), "signals");
  const int signals = checked(signalfd(-1, &cuts, SFD_NONBLOCK), "signals");
  prctl(PR_SET_TIMERSLACK, 1000);  // ns
  direction there(a, b, c, 2 * seed), back(b, a, c, 2 * seed + 1);
  std::array<pollfd, 3> all{{{a, POLLIN, 0}, {b, POLLIN, 0}, {signals, POLLIN, 0}}};
  time_point heals{};
  for (;;) {
    const time_point now = clock_type::now();
    there.take(now, now < heals);
    back.take(now, now < heals);
    const time_point next = std::min(there.deliver(now), back.deliver(now));
    const auto ns = std::chrono::nanoseconds(std::clamp<clock_type::duration>(next - clock_type::now(), {}, after(1)));
    const timespec rest{ns.count() / 1'000'000'000, ns.count() % 1'000'000'000};
    if (ppoll(all.data(), all.size(), &rest, nullptr) < 0 && errno != EINTR) checked(-1, "ppoll");
    signalfd_siginfo cut{};
    if (read(signals, &cut, sizeof cut) == sizeof cut)
      heals = cut.ssi_int ? clock_type::now() + std::chrono::milliseconds(cut.ssi_int) : time_point::max();
  }
}

}  // namespace

int main(int argc, char** argv) try {
  std::string from, to, device;
  conditions c;
  unsigned seed = 1;
  CLI::App app{"A link that delays and loses packets"};
  app.add_option("from", from)->required();
  app.add_option("to", to)->required();
  app.add_option("device", device)->required();
  app.add_option("--delay", c.delay, "Milliseconds one way");
  app.add_option("--jitter", c.jitter, "Milliseconds more, at most");
  app.add_option("--loss", c.loss, "Percent of the packets");
  app.add_option("--rate", c.rate, "Megabits a second, each way; 0: as many as the link can carry");
  app.add_option("--seed", seed);
  CLI11_PARSE(app, argc, argv);
  const int a = open_device(from, device), b = open_device(to, device);
  std::puts("carries");
  std::fflush(stdout);
  carry(a, b, c, seed);
} catch (const std::exception& e) {
  std::fprintf(stderr, "mpi_link: %s\n", e.what());
  return 1;
}
