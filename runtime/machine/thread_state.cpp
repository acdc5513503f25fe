#include "runtime/machine/thread_state.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace weir::detail {
namespace {

template <class Mask>
std::size_t read_units(Mask& into) noexcept {  // the bytes that the system has written; 0: it does not tell
  const long written = syscall(SYS_sched_getaffinity, 0, sizeof into, into.data());
  return written > 0 ? static_cast<std::size_t>(written) : 0;
}

sigset_t blocked_signals() noexcept {
  sigset_t now;
  std::memset(&now, 0, sizeof now);  // not all of it is written
  pthread_sigmask(SIG_SETMASK, nullptr, &now);
  return now;
}

template <class Schedule>
bool read(Schedule& into) noexcept {
  return syscall(SYS_sched_getattr, 0, &into, sizeof into, 0) == 0;
}

template <class Nodes>
bool read(int& mode, Nodes& into) noexcept {
  return syscall(SYS_get_mempolicy, &mode, into.data(), 8 * sizeof into, nullptr, 0) == 0;
}

}  // namespace

void thread_state::remember() noexcept {
  is_known_ = true;
  told_ = signals | locale;
  remember_cores();
  signals_ = blocked_signals();
  if (read(schedule_)) told_ |= scheduling;
  if (read(memory_.mode, memory_.nodes)) told_ |= memory;
  locale_ = uselocale(locale_t{});
}

void thread_state::remember_cores() noexcept {
  mask_bytes_ = read_units(units_);
  told_ = mask_bytes_ > 0 ? told_ | cores : told_ & ~unsigned{cores};
}

void thread_state::remember_inherited() noexcept {
  remember();
  locale_ = LC_GLOBAL_LOCALE;
}

bool thread_state::has_its_cores() const noexcept {
  if (!(told_ & cores)) return true;
  unit_mask now;
  return read_units(now) == mask_bytes_ && std::memcmp(now.data(), units_.data(), mask_bytes_) == 0;
}

bool thread_state::keep_cores() noexcept {
  if (has_its_cores()) return true;
  if (syscall(SYS_sched_setaffinity, 0, mask_bytes_, units_.data()) != 0) told_ &= ~unsigned{cores};
  return false;
}

bool thread_state::keep_signals() noexcept {
  const sigset_t now = blocked_signals();
  if (std::memcmp(&now, &signals_, sizeof now) == 0) return true;
  pthread_sigmask(SIG_SETMASK, &signals_, nullptr);
  return false;
}

bool thread_state::keep_schedule() noexcept {
  schedule now;
  if (!read(now) || now == schedule_) return true;
  if (syscall(SYS_sched_setattr, 0, &schedule_, 0) != 0) told_ &= ~unsigned{scheduling};
  return false;
}

bool thread_state::keep_memory() noexcept {
  memory_policy now;
  if (!read(now.mode, now.nodes) || now == memory_) return true;
  // The default policy takes no nodes.
  const bool has_nodes =
      std::any_of(memory_.nodes.begin(), memory_.nodes.end(), [](unsigned long w) { return w != 0; });
  if (syscall(SYS_set_mempolicy, memory_.mode, has_nodes ? memory_.nodes.data() : nullptr,
              has_nodes ? 8 * sizeof memory_.nodes : 0) != 0)
    told_ &= ~unsigned{memory};
  return false;
}

bool thread_state::keep_locale() noexcept {
  if (uselocale(locale_t{}) == locale_) return true;
  uselocale(locale_);
  return false;
}

unsigned thread_state::put_back() noexcept {
  unsigned differed = 0;
  if ((told_ & cores) && !keep_cores()) differed |= cores;
  if ((told_ & signals) && !keep_signals()) differed |= signals;
  if ((told_ & scheduling) && !keep_schedule()) differed |= scheduling;
  if ((told_ & memory) && !keep_memory()) differed |= memory;
  if ((told_ & locale) && !keep_locale()) differed |= locale;
  return differed;
}

std::string thread_state::in_words(unsigned parts) {
  std::vector<const char*> words;
  if (parts & cores) words.push_back("other cores");
  if (parts & signals) words.push_back("other blocked signals");
  if (parts & scheduling) words.push_back("another scheduling class");
  if (parts & memory) words.push_back("another NUMA policy");
  if (parts & locale) words.push_back("another locale");
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 < words.size() ? ", " : " and ") + std::string(words[i]);
  return text;
}

}  // namespace weir::detail
