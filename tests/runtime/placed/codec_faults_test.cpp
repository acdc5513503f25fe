#include <gtest/gtest.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include "tests/runtime/placed/several_ranks.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/gate.hpp"
#include "tests/support/gives_all_back.hpp"

// Codecs that throw, at each end and on each way.
namespace weir {
namespace {

struct fragile {
  std::int64_t value;
};

enum class fault { error, no_memory, number };

// Which value a codec fails at, writing or reading, and how.
struct failing {
  std::int64_t written = -1, read = -1;
  fault how = fault::error;
} fails;
bool always = false;              // each codec fails while it reads
testing::gate* before = nullptr;  // where a codec waits before it fails

void fail() {
  if (before) before->pass();
  if (fails.how == fault::error) throw std::runtime_error("fragile");
  if (fails.how == fault::no_memory) throw std::bad_alloc();
  throw 7;
}

}  // namespace

template <>
struct codec<fragile> {
  static void write(wire_writer& to, const fragile& f) {
    to.put(f.value);
    if (f.value == fails.written) fail();
  }
  static fragile read(wire_reader& from) {
    const fragile f{from.get<std::int64_t>()};
    if (f.value == fails.read || always) fail();
    return f;
  }
};

namespace {

using testing::several_ranks;
using testing::two_cores;

inline constexpr field<fragile> thing{"thing"};
inline constexpr field<std::string> note{"note"};
inline constexpr tag branch{"branch"};

class a_codec_that_throws : public testing::gives_all_back {
 protected:
  void TearDown() override {
    fails = {};
    always = false;
    before = nullptr;
    gives_all_back::TearDown();
  }
  static network adding(const char* name, std::int64_t what) {
    return box(name, takes(thing), gives(thing), [what](const fragile& f) { return fragile{f.value + what}; });
  }
  static std::string text_of(fault how) {
    return how == fault::error ? "threw \"fragile\"" : how == fault::no_memory ? "bad_alloc" : "int: 7";
  }
  // A part at rank 1, as :S2, and a part at rank 2, as :S3. They add more than the values sent, so that a value tells
  // where it was.
  static network placed() { return bypass() >> at(adding("a", 100'000), 1) >> at(adding("b", 100'000), 2); }
  // One of 100 records, whose codec fails, ends at this rank and path. Returns its failure.
  static failure expect_one_failure(const failing& where, int rank, const char* path) {
    fails = where;
    several_ranks all(
        3, [](int) { return placed(); },
        [](int r) {
          options o = two_cores(r);
          o.on_error = on_error::collect;
          return o;
        });
    execution& run = all.run();
    for (int i = 0; i < 100; ++i) run.send(thing = fragile{i}, note = "kept");
    run.close();
    int got = 0;
    for (const record& r : run) got += static_cast<int>(r[thing].value != 200'007);
    EXPECT_EQ(got, 99);
    const std::vector<failure> failures = run.errors();
    EXPECT_EQ(failures.size(), 1u) << rank;
    const failure f = failures.empty() ? failure{} : failures[0];
    EXPECT_EQ(f.kind, failure_kind::not_sent);
    EXPECT_EQ(f.rank, rank);
    EXPECT_EQ(f.path, path);
    EXPECT_NE(f.cause.find("the codec of field 'thing' of type "), std::string::npos) << f.cause;
    EXPECT_NE(f.cause.find(text_of(where.how)), std::string::npos) << f.cause;
    EXPECT_EQ(run.report().away, 0) << rank;
    all.finish();
    EXPECT_EQ(all.error_of(1) + all.error_of(2), "");
    return f;
  }
};

TEST_F(a_codec_that_throws, while_it_writes_ends_the_record_with_rank_and_path) {
  for (const fault how : {fault::error, fault::no_memory, fault::number})
    for (const int rank : {0, 1, 2}) expect_one_failure({7 + 100'000 * rank, -1, how}, rank, rank == 2 ? ":S3" : ":S2");
}

// All else that is in the message is read.
TEST_F(a_codec_that_throws, while_it_reads_ends_the_record_with_rank_and_path) {
  for (const fault how : {fault::error, fault::no_memory, fault::number})
    for (const int rank : {0, 1, 2}) {
      const failure f = expect_one_failure({-1, rank == 0 ? 200'007 : 7 + 100'000 * (rank - 1), how}, rank,
                                           rank == 1 ? ":S2" : ":S3");
      EXPECT_NE(f.record.find("note=kept"), std::string::npos) << f.record;
    }
}

// The record was sent, its rank is lost, and the codec throws as it is sent to another.
TEST_F(a_codec_that_throws, while_a_record_of_a_lost_rank_is_sent_again_ends_the_record) {
  for (const fault how : {fault::error, fault::no_memory, fault::number}) {
    testing::gate inside;
    several_ranks all(
        3,
        [&](int) {
          return at(split(box("a", takes(thing), gives(thing),
                              [&](const fragile& f) {
                                inside.pass();
                                return fragile{f.value + 100'000};
                              }),
                          branch),
                    branch);
        },
        [](int r) {
          options o = two_cores(r);
          o.on_error = on_error::collect;
          o.on_failure = on_failure::reassign;
          return o;
        });
    execution& run = all.run();
    run.send(thing = fragile{7}, branch = 1, note = "kept");
    EXPECT_TRUE(inside.wait_for_arrivals(1));
    fails = {7, -1, how};
    all.ranks().kill(1);
    run.close();
    for (const record& r : run) ADD_FAILURE() << r;
    const std::vector<failure> failures = run.errors();
    EXPECT_EQ(failures.size(), 1u);
    const failure f = failures.empty() ? failure{} : failures[0];
    EXPECT_EQ(f.kind, failure_kind::not_sent);
    EXPECT_NE(f.cause.find(text_of(how)), std::string::npos) << f.cause;
    EXPECT_NE(f.record.find("note=kept"), std::string::npos) << f.record;
    EXPECT_EQ(run.report().away, 0);
    fails = {};
    inside.open();
    all.ranks().end_killed(1);
    all.finish();
  }
}

// All records of a stream fail, more than there is credit for: so the credit of a failed one comes back, too.
TEST_F(a_codec_that_throws, gives_the_credit_back) {
  always = true;
  several_ranks all(
      2, [](int) { return at(adding("a", 1), 1); },
      [](int r) {
        options o = two_cores(r);
        o.on_error = on_error::collect;
        o.capacity = 4;
        return o;
      });
  execution& run = all.run();
  for (int i = 0; i < 200; ++i) run.send(thing = fragile{i});
  run.close();
  for (const record& r : run) ADD_FAILURE() << r;
  EXPECT_EQ(run.report().failed, 200u);
  all.finish();
}

// Whether a thread of this process sleeps, by its state "S" in /proc.
bool sleeps(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(") ");
  return name_end != text.npos && text[name_end + 2] == 'S';
}

// The record whose codec fails has the only credit. No message says that it is free again, since none was sent. So the
// thread that fails wakes the one that waits for credit meanwhile.
TEST_F(a_codec_that_throws, wakes_a_sender_that_waits_for_its_credit) {
  testing::gate writing;
  before = &writing;
  fails.written = 1;
  several_ranks all(
      2, [](int) { return at(adding("a", 1), 1); },
      [](int r) {
        options o = two_cores(r);
        o.on_error = on_error::collect;
        return o;
      },
      detail::remote::window_limits{.records = 1});
  execution& run = all.run();
  std::thread first([&] { run.send(thing = fragile{1}); });
  EXPECT_TRUE(writing.wait_for_arrivals(1));
  std::atomic<pid_t> waiting{0};
  std::atomic<bool> is_sent{false};
  std::thread second([&] {
    waiting = gettid();
    try {
      run.send(thing = fragile{2});
      is_sent = true;
    } catch (const send_error&) {  // after the stop below
    }
  });
  EXPECT_TRUE(testing::eventually([&] { return waiting > 0 && sleeps(waiting); }));
  writing.open();
  first.join();
  EXPECT_TRUE(testing::eventually([&] { return is_sent.load(); })) << "credit is free, and its waiter was not woken";
  if (!is_sent) run.stop();
  second.join();
  run.close();
  int got = 0;
  for (const record& r : run) got += static_cast<int>(r[thing].value == 3);
  EXPECT_EQ(got, 1);
  all.finish();
}

}  // namespace
}  // namespace weir
