#include "runtime/machine/neighbour_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdarg>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string_view>

#include "tests/support/scratch_folder.hpp"

namespace weir::detail {
namespace {

pid_t copy_behind_open = -1;  // 0: the process is copied once the file of neighbours is open

}  // namespace
}  // namespace weir::detail

// In place of the C library's.
extern "C" [[gnu::visibility("default")]] int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const auto mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(more, mode_t) : mode_t{0};
  va_end(more);
  const auto file = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
  pid_t& copy = weir::detail::copy_behind_open;
  if (copy == 0 && std::string_view(path).ends_with("neighbours-1")) {
    copy = ::fork();
    if (copy == 0)
      for (;;) ::pause();
  }
  return file;
}

// The file by which processes share cores, and each way in which it may fail. Time is a number that the test passes.
namespace weir::detail {
namespace {

namespace fs = std::filesystem;

class a_neighbour_file : public ::testing::Test {
 protected:
  static constexpr double valid = 2;

  fs::path folder() const { return folder_.path() / "weir"; }
  fs::path file() const { return folder() / "neighbours-1"; }
  static core_claim claim(int cores, core_gain gain = {}) {
    return {core_set::range(0, cores), cores, std::move(gain)};
  }

  // A child process that has said its claim at time 0 and does nothing further.
  pid_t neighbour(int cores) const {
    int ends[2];
    if (::pipe(ends) != 0) return -1;
    const pid_t child = ::fork();
    if (child == 0) {
      neighbour_file its(folder());
      const bool is_said = its.exchange(claim(cores), 0, valid).has_value();
      static_cast<void>(!::write(ends[1], is_said ? "1" : "0", 1));
      for (;;) ::pause();
    }
    char said = '0';
    EXPECT_EQ(::read(ends[0], &said, 1), 1);
    EXPECT_EQ(said, '1');
    ::close(ends[0]);
    ::close(ends[1]);
    return child;
  }
  static void end(pid_t child) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  static std::size_t seen(neighbour_file& by, double now) {
    const auto all = by.exchange(claim(2), now, valid);
    return all ? all->claims.size() : 0;
  }

  const testing::scratch_folder folder_;
};

// Processes read each other's claims as they were said, in an order that is the same for all.
TEST_F(a_neighbour_file, tells_each_process_the_claims_of_all) {
  neighbour_file a(folder()), b(folder());
  const core_claim first{{0, 1, 2, 8}, 3, {{1, 0.5}, {2, 1.25}, {4, 1e9}}};
  ASSERT_TRUE(a.exchange(first, 0, valid));
  const auto of_b = b.exchange(claim(7), 0, valid), of_a = a.exchange(first, 0, valid);
  ASSERT_TRUE(of_a && of_b);
  ASSERT_EQ(of_a->claims.size(), 2u);
  EXPECT_EQ(of_a->own, 0u);
  EXPECT_EQ(of_b->own, 1u);
  for (const auto* all : {&*of_a, &*of_b}) {
    EXPECT_EQ(all->claims[0].cores, first.cores);
    EXPECT_EQ(all->claims[0].most, first.most);
    EXPECT_EQ(all->claims[0].gain, first.gain);
    EXPECT_EQ(all->claims[1].cores, core_set::range(0, 7));
    EXPECT_TRUE(all->claims[1].gain.empty());
  }
}

// A process that leaves is seen until the time that it says, and its slot is free when its object is gone.
TEST_F(a_neighbour_file, forgets_who_leaves) {
  neighbour_file a(folder());
  {
    neighbour_file b(folder());
    EXPECT_EQ(seen(b, 0), 1u);
    EXPECT_EQ(seen(a, 0), 2u);
    b.leave(0.5);
    EXPECT_EQ(seen(a, 0.4), 2u);
    EXPECT_EQ(seen(a, 0.6), 1u);
    EXPECT_EQ(seen(b, 0.7), 2u);
    EXPECT_EQ(seen(a, 0.7), 2u);
  }
  EXPECT_EQ(seen(a, 0.7), 1u);
}

// An alone process reads the file at each look, and writes it anew four times in the validity of its claim.
TEST_F(a_neighbour_file, costs_one_process_alone_a_system_call_a_look) {
  neighbour_file a(folder());
  EXPECT_EQ(a.system_calls(), 0);
  EXPECT_EQ(seen(a, 0), 1u);
  const int before = a.system_calls();
  EXPECT_LE(before, 8);
  for (int i = 1; i <= 9; ++i) EXPECT_EQ(seen(a, 0.05 * i), 1u);
  EXPECT_EQ(a.system_calls() - before, 9);
}

// A killed process had a valid claim. The system drops its lock, so the next look does without it.
TEST_F(a_neighbour_file, notices_a_killed_process) {
  const pid_t child = neighbour(2);
  neighbour_file a(folder());
  EXPECT_EQ(seen(a, 0), 2u);
  end(child);
  EXPECT_EQ(seen(a, 0), 1u);
}

// A child of a process keeps no lock of it after its end.
TEST_F(a_neighbour_file, does_not_live_on_in_a_fork) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    neighbour_file its(folder());
    its.exchange(claim(2), 0, valid);
    if (::fork() == 0) {
      const pid_t own = ::getpid();
      static_cast<void>(!::write(ends[1], &own, sizeof own));
    }
    for (;;) ::pause();
  }
  pid_t grandchild = 0;
  ASSERT_EQ(::read(ends[0], &grandchild, sizeof grandchild), static_cast<ssize_t>(sizeof grandchild));
  ::close(ends[0]);
  ::close(ends[1]);
  neighbour_file a(folder());
  EXPECT_EQ(seen(a, 0), 2u);
  end(child);
  EXPECT_EQ(seen(a, 0), 1u);
  ::kill(grandchild, SIGKILL);
}

// Nor one that was made, by another thread, in the midst of opening the file.
TEST_F(a_neighbour_file, does_not_live_on_in_a_fork_while_it_is_opened) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    copy_behind_open = 0;
    neighbour_file its(folder());
    for (int tries = 0; tries < 2 && !its.exchange(claim(2), 0, valid); ++tries) {
    }
    static_cast<void>(!::write(ends[1], &copy_behind_open, sizeof copy_behind_open));
    for (;;) ::pause();
  }
  pid_t grandchild = 0;
  ASSERT_EQ(::read(ends[0], &grandchild, sizeof grandchild), static_cast<ssize_t>(sizeof grandchild));
  ::close(ends[0]);
  ::close(ends[1]);
  ASSERT_GT(grandchild, 0);
  neighbour_file a(folder());
  EXPECT_EQ(seen(a, 0), 2u);
  end(child);
  EXPECT_EQ(seen(a, 0), 1u);
  ::kill(grandchild, SIGKILL);
}

// Nor in a copy that no handler hears of, as one that is made in the midst of closing the file.
TEST_F(a_neighbour_file, gives_up_its_slot_in_all_copies_when_it_is_closed) {
  const auto is_locked = [&] {
    struct flock first {};
    first.l_type = F_WRLCK;
    first.l_whence = SEEK_SET;
    first.l_len = 1;
    const int its = ::open(file().c_str(), O_RDWR | O_CLOEXEC);
    EXPECT_EQ(::fcntl(its, F_OFD_GETLK, &first), 0);
    ::close(its);
    return first.l_type != F_UNLCK;
  };
  pid_t copy = -1;
  {
    neighbour_file a(folder());
    EXPECT_EQ(seen(a, 0), 1u);
    copy = static_cast<pid_t>(::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
    if (copy == 0)
      for (;;) ::pause();
    EXPECT_TRUE(is_locked());
  }
  EXPECT_FALSE(is_locked());
  end(copy);
}

// A stopped process keeps its lock. No call waits for it, and its claim ends by itself.
TEST_F(a_neighbour_file, waits_for_no_stopped_process) {
  const pid_t child = neighbour(2);
  ::kill(child, SIGSTOP);
  ::waitpid(child, nullptr, WUNTRACED);
  neighbour_file a(folder());
  EXPECT_EQ(seen(a, 1.9), 2u);
  EXPECT_EQ(seen(a, 2.1), 1u);
  end(child);
}

// Without the folder of the user there is no file; the folder below it is made.
TEST_F(a_neighbour_file, is_none_without_the_folder) {
  neighbour_file nowhere(fs::path{}), missing(folder_.path() / "missing" / "weir");
  EXPECT_EQ(seen(nowhere, 0), 0u);
  EXPECT_EQ(seen(missing, 0), 0u);
  EXPECT_FALSE(fs::exists(folder_.path() / "missing"));
  fs::create_directory(folder_.path() / "missing");
  EXPECT_EQ(seen(missing, 1), 1u);
}

// Garbage in the slots of others is no claim: text, an old format, a wrong sum, numbers out of range. Our own slot is
// written anew.
TEST_F(a_neighbour_file, takes_garbage_for_no_claim) {
  neighbour_file holder_of_first(folder());
  EXPECT_EQ(seen(holder_of_first, 0), 1u);
  const std::string good = testing::contents(file());
  std::string wrong_sum = good, cut = good.substr(0, 40);
  wrong_sum[good.find("cores=0-1") + 8] = '2';
  for (const std::string& bad :
       {std::string(512, '\0'), std::string(512, 'x'), std::string("weir-neighbour-0 until=1.5 most=2"), wrong_sum, cut,
        std::string("weir-neighbour-1 until=1 most=1 cores=0-99999999999 gain= sum=1"),
        std::string("weir-neighbour-1 until=inf most=1 cores=0 gain= sum=1"), std::string("\n\n")}) {
    std::string slot = bad;
    slot.resize(512, ' ');
    std::ofstream(file(), std::ios::binary) << slot;
    neighbour_file a(folder());
    EXPECT_EQ(seen(a, 0), 1u) << bad;
    EXPECT_EQ(seen(a, 0.1), 1u) << bad;
  }
  std::ofstream(file(), std::ios::binary) << good;
  neighbour_file a(folder());
  EXPECT_EQ(seen(a, 0), 2u) << "the unchanged slot is a claim";
}

// A claim that ends far in the future is of another clock.
TEST_F(a_neighbour_file, takes_another_clock_for_no_claim) {
  neighbour_file a(folder()), b(folder());
  EXPECT_EQ(seen(b, 1e6), 1u);
  EXPECT_EQ(seen(a, 0), 1u);
}

// A file that is removed is made again, by all who used it.
TEST_F(a_neighbour_file, is_made_again_when_it_was_removed) {
  neighbour_file a(folder()), b(folder());
  EXPECT_EQ(seen(a, 0), 1u);
  EXPECT_EQ(seen(b, 0), 2u);
  fs::remove_all(folder());
  EXPECT_EQ(seen(a, 1), 1u);
  EXPECT_EQ(seen(b, 1), 2u);
  EXPECT_EQ(seen(a, 1), 2u);
}

// Another kind of thing at the file's place is left alone: a folder, a link, a pipe.
TEST_F(a_neighbour_file, opens_nothing_but_a_file) {
  fs::create_directory(folder());
  const fs::path target = folder_.path() / "target";
  std::ofstream(target) << "mine";
  for (const std::function<void()>& make : std::vector<std::function<void()>>{
           [&] { fs::create_directory(file()); }, [&] { fs::create_symlink(target, file()); },
           [&] { ::mkfifo(file().c_str(), S_IRWXU); }}) {
    make();
    neighbour_file a(folder());
    EXPECT_EQ(seen(a, 0), 0u);
    fs::remove(file());
  }
  EXPECT_EQ(testing::contents(target), "mine");
}

// Every slot is another process's: one more process goes without, and leaves the others as they are.
TEST_F(a_neighbour_file, has_a_last_slot) {
  std::vector<std::unique_ptr<neighbour_file>> all;
  for (int i = 0; i < 32; ++i) {
    all.push_back(std::make_unique<neighbour_file>(folder()));
    EXPECT_EQ(seen(*all.back(), 0), static_cast<std::size_t>(i + 1));
  }
  neighbour_file more(folder());
  EXPECT_EQ(seen(more, 0), 0u);
  all.pop_back();
  EXPECT_EQ(seen(more, 0), 32u);
}

// ---- as root, in a process of its own ----

// Runs `body` in a child; false if the child could not prepare it.
bool in_child(const std::function<bool()>& prepare, const std::function<bool()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(!prepare() ? 77 : body() ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) return false;
  EXPECT_EQ(WEXITSTATUS(status), 0);
  return true;
}

// Another user's folder is not used, even if it may be written: these are not the processes of one user.
TEST_F(a_neighbour_file, of_another_user_is_not_used) {
  neighbour_file a(folder());
  EXPECT_EQ(seen(a, 0), 1u);
  fs::permissions(folder_.path(), fs::perms::all);
  fs::permissions(folder(), fs::perms::all);
  fs::permissions(file(), fs::perms::all);
  const auto other = [&] {
    neighbour_file its(folder());
    return seen(its, 0) == 0;
  };
  if (!in_child([] { return ::setgid(65534) == 0 && ::setuid(65534) == 0; }, other))
    GTEST_SKIP() << "needs root, to become somebody else";
  EXPECT_EQ(seen(a, 0), 1u);
}

// A folder on a file system of that many bytes, in a namespace of the process's own.
bool mount_here(const fs::path& at, const char* size, unsigned long flags) {
  return ::unshare(CLONE_NEWNS) == 0 && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("tmpfs", at.c_str(), "tmpfs", flags, size) == 0;
}

// A full disk: the process goes without a file, and shares cores when there is room again.
TEST_F(a_neighbour_file, on_a_full_disk_is_none) {
  const fs::path top = folder_.path(), filling = top / "filling";
  const auto fill = [&] {
    if (!mount_here(top, "size=16k", 0)) return false;
    std::ofstream big(filling);
    big << std::string(64 << 10, 'x') << std::flush;
    return !big.good();
  };
  const auto body = [&] {
    neighbour_file a(folder());
    if (seen(a, 0) != 0 || seen(a, 0.1) != 0) return false;
    fs::remove(filling);
    return seen(a, 1) == 1;
  };
  if (!in_child(fill, body)) GTEST_SKIP() << "this process may mount nothing";
}

// The same for a folder that can be read alone.
TEST_F(a_neighbour_file, in_a_read_only_folder_is_none) {
  const auto close = [&] { return mount_here(folder_.path(), "size=16k", MS_RDONLY); };
  const auto body = [&] {
    neighbour_file a(folder());
    return seen(a, 0) == 0 && seen(a, 1) == 0;
  };
  if (!in_child(close, body)) GTEST_SKIP() << "this process may mount nothing";
}

}  // namespace
}  // namespace weir::detail
