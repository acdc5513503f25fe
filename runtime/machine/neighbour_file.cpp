#include "runtime/machine/neighbour_file.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <weir/threads/primitives.hpp>
#include "runtime/threads/own_descriptor.hpp"

namespace weir::detail {
namespace {

constexpr std::string_view file_name = "neighbours-1", format = "weir-neighbour-1";
constexpr int slots = 32;         // more processes than this go without
constexpr off_t slot_size = 512;  // a claim of 256 cores takes some 200 bytes
constexpr int most_units = 65536;
// A claim is written anew after this part of its validity.
constexpr double rewritten_after = 0.25;
constexpr double longest_valid = 10;  // seconds; a later end is of another clock

// A copy of the process made by fork() would keep the lock on the slot after the process's end. A copy that is made
// while a file is opened has the file, too; it is never locked then.
threads::atomic<int> open_file{-1}, forks_begun{0}, forks_ended{0};
void begin_fork() { forks_begun.fetch_add(1); }
void end_fork() { forks_ended.fetch_add(1); }
void close_in_copy() {
  if (const int file = open_file.exchange(-1); file >= 0) ::close(file);
  forks_ended.store(forks_begun.load());
}

std::uint32_t checksum(std::string_view text) {  // FNV-1a
  std::uint32_t sum = 2166136261u;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 16777619u;
  return sum;
}

std::string in_text(double number) {
  char text[32];
  return {text, std::to_chars(text, std::end(text), number).ptr};
}

std::string words_of(const core_claim& c) {
  std::string text = "most=" + std::to_string(c.most) + " cores=" + to_string(c.cores) + " gain=";
  for (const auto& [cores, throughput] : c.gain) {
    if (text.back() != '=') text += ',';
    text += std::to_string(cores) + ':' + in_text(throughput);
  }
  return text;
}

std::string line_of(const std::string& words, double until) {
  const std::string text = std::string(format) + " until=" + in_text(until) + ' ' + words;
  return text + " sum=" + std::to_string(checksum(text));
}

// Takes text off in front. Each call returns whether the text begins as expected.
class reader {
 public:
  explicit reader(std::string_view text) : rest_(text) {}

  bool text(std::string_view expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }
  template <class Number>
  bool number(Number& into) {
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), into);
    if (error != std::errc()) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

bool read_cores(reader& from, core_set& into) {  // "0-3,8"
  std::vector<int> cores;
  do {
    int first = 0;
    if (!from.number(first)) return false;
    int last = first;
    if (from.text("-") && !from.number(last)) return false;
    if (first < 0 || last < first || last >= most_units) return false;
    for (int core = first; core <= last; ++core) cores.push_back(core);
    if (cores.size() > most_units) return false;
  } while (from.text(","));
  into = core_set(std::move(cores));
  return true;
}

bool read_gain(reader& from, core_gain& into) {  // "1:0.5,2:1", or nothing
  if (from.rest().starts_with(' ')) return true;
  do {
    std::pair<int, double> at;
    if (!from.number(at.first) || !from.text(":") || !from.number(at.second)) return false;
    if (at.first <= (into.empty() ? 0 : into.back().first) || !std::isfinite(at.second) || at.second < 0) return false;
    into.push_back(at);
  } while (from.text(","));
  return true;
}

// The claim in a slot, if there is one that is valid now.
std::optional<core_claim> claim_in(std::string_view slot, double now) {
  reader from(slot);
  core_claim c;
  double until = 0;
  if (!from.text(format) || !from.text(" until=") || !from.number(until)) return std::nullopt;
  if (!(until > now) || until > now + longest_valid) return std::nullopt;
  if (!from.text(" most=") || !from.number(c.most) || !from.text(" cores=") || !read_cores(from, c.cores) ||
      !from.text(" gain=") || !read_gain(from, c.gain))
    return std::nullopt;
  const std::string_view summed = slot.substr(0, slot.size() - from.rest().size());
  std::uint32_t sum = 0;
  if (!from.text(" sum=") || !from.number(sum) || sum != checksum(summed)) return std::nullopt;
  if (c.most < 1 || c.most > c.cores.size()) return std::nullopt;
  return c;
}

struct flock lock_on(int slot) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = slot * slot_size;
  lock.l_len = slot_size;
  return lock;
}

bool is_own_folder(const std::filesystem::path& at) {
  struct stat is {};
  return ::stat(at.c_str(), &is) == 0 && S_ISDIR(is.st_mode) && is.st_uid == ::geteuid();
}

}  // namespace

neighbour_file::neighbour_file(std::filesystem::path folder) : folder_(std::move(folder)) {}

std::filesystem::path neighbour_file::usual_folder() {
  const char* const of_user = std::getenv("XDG_RUNTIME_DIR");
  return of_user && *of_user == '/' ? std::filesystem::path(of_user) / "weir" : std::filesystem::path();
}

// Opens neither a thing that another user could have put there, nor one that would block.
bool neighbour_file::open() {
  if (file_ >= 0) return true;
  if (folder_.empty()) return false;
  system_calls_ += 5;
  if (!is_own_folder(folder_.parent_path())) return false;
  ::mkdir(folder_.c_str(), S_IRWXU);
  if (!is_own_folder(folder_)) return false;
  static const int registered = pthread_atfork(begin_fork, end_fork, close_in_copy);
  static_cast<void>(registered);
  const int begun = forks_begun.load();
  if (forks_ended.load() != begun) return false;
  constexpr int how = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  file_ = own_descriptor(::open((folder_ / file_name).c_str(), how, S_IRUSR | S_IWUSR));
  if (file_ < 0) return false;
  open_file.store(file_);
  opened_by_ = ::getpid();
  if (forks_begun.load() == begun && is_ours()) return true;
  close();
  return false;
}

void neighbour_file::close() noexcept {
  if (file_ < 0) return;
  if (slot_ >= 0 && opened_by_ == ::getpid()) {  // a copy that is made from here on may still have the file
    struct flock lock = lock_on(slot_);
    lock.l_type = F_UNLCK;
    ::fcntl(file_, F_OFD_SETLK, &lock);
  }
  int mine = file_;
  open_file.compare_exchange_strong(mine, -1);
  ::close(file_);
  file_ = slot_ = -1;
  written_.clear();
}

// False also once the file was removed: other processes would make another.
bool neighbour_file::is_ours() const {
  struct stat is {};
  return ::fstat(file_, &is) == 0 && S_ISREG(is.st_mode) && is.st_uid == ::geteuid() && is.st_nlink > 0;
}

bool neighbour_file::take_slot() {
  for (int slot = 0; slot_ < 0 && slot < slots; ++slot) {
    struct flock lock = lock_on(slot);
    ++system_calls_;
    if (::fcntl(file_, F_OFD_SETLK, &lock) == 0) slot_ = slot;
  }
  return slot_ >= 0;
}

bool neighbour_file::has_lock(int slot) const {
  struct flock lock = lock_on(slot);
  ++system_calls_;
  return ::fcntl(file_, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool neighbour_file::write(const std::string& line) {
  if (line.size() >= slot_size) return false;
  std::string slot = line;
  slot.resize(slot_size - 1, ' ');
  slot += '\n';
  ++system_calls_;
  return ::pwrite(file_, slot.data(), slot.size(), slot_ * slot_size) == slot_size;
}

std::optional<neighbour_file::table> neighbour_file::exchange(const core_claim& own, double now, double seconds) {
  const std::string words = words_of(own);
  if (file_ >= 0 && (words != written_ || now >= written_at_ + rewritten_after * seconds)) {
    ++system_calls_;
    if (!is_ours()) close();
    written_.clear();
  }
  if (!open() || !take_slot()) return std::nullopt;
  if (written_.empty()) {
    if (!write(line_of(words, now + seconds))) {
      close();  // the others do without the claim, too
      return std::nullopt;
    }
    written_ = words;
    written_at_ = now;
  }
  std::string all(slots * slot_size, '\0');
  ++system_calls_;
  const ssize_t read = ::pread(file_, all.data(), all.size(), 0);
  if (read <= 0) return std::nullopt;
  all.resize(static_cast<std::size_t>(read));
  table t;
  for (int slot = 0; slot < slots && static_cast<std::size_t>(slot * slot_size) < all.size(); ++slot) {
    if (slot == slot_) {
      t.own = t.claims.size();
      t.claims.push_back(own);
      continue;
    }
    const auto text = std::string_view(all).substr(static_cast<std::size_t>(slot * slot_size), slot_size);
    if (auto claim = claim_in(text, now); claim && has_lock(slot)) t.claims.push_back(std::move(*claim));
  }
  return t;
}

void neighbour_file::leave(double until) noexcept {
  if (file_ < 0 || written_.empty()) return;
  try {
    write(line_of(written_, until));
  } catch (const std::bad_alloc&) {  // then it ends by itself
  }
  written_.clear();
}

}  // namespace weir::detail
