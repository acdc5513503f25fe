#include <algorithm>
#include <map>
#include <memory>
#include <thread>

#include "tests/soak/random_options.hpp"

// The user's callbacks - on_observation, on_hang, observe, record_bytes, a predictor, a destructor of a field's value -
// call the runtime. They look at their run, send to it, start others, and some calls are slow. Every sent record
// becomes a result, fails, is dropped or is held. Every observation, every hang and every observed record is reported
// once. Nothing waits for itself.
namespace weir::testing {

namespace {

constexpr tag v{"v"}, k{"k"}, half{"half"}, other_half{"other_half"};

// The calls that callbacks make. The run may be used from begin() to end().
class caller {
 public:
  caller(round& r, std::uint64_t salt) : round_(r), salt_(salt) {}

  void begin(execution& run) { run_ = &run; }
  // No thread uses the run any more, or will.
  void end() {
    run_ = nullptr;
    while (inside_ > 0) std::this_thread::yield();
  }
  std::uint64_t sent() const { return sent_; }
  void sent_one() { ++sent_; }
  std::uint64_t taken() const { return taken_; }

  // Acts a few hundred times per round; otherwise does nothing.
  void call(const char* from) {
    const std::uint64_t number = calls_++;
    if (number > 300) return;
    ++inside_;
    if (execution* const run = run_) make(*run, from, (number + salt_) * 0x9e3779b97f4a7c15ull >> 33);
    --inside_;
  }

 private:
  void make(execution& run, const char* from, std::uint64_t drawn) noexcept try {
    if (drawn / 16 % 32 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));  // a slow one
    switch (drawn % 9) {
      case 0:
        (void)run.report().full();
        break;
      case 1:
        (void)run.report();
        break;
      case 2:
        (void)run.predict("a", 1, cores{1});
        break;
      case 3:
        (void)run.models();
        break;
      case 4:
        (void)run.errors();
        break;
      case 5:
        taken_ += run.take_errors().size();
        break;
      case 6:
        sent_ += run.try_send(record(v = 1000, k = 0));
        break;
      case 7:
        run.send(record(v = 1001, k = 1)), ++sent_;
        break;
      default:
        run_another(from);
    }
  } catch (const run_error&) {         // closed, or the run was stopped
  } catch (const std::logic_error&) {  // full: send would wait for itself
  } catch (const std::exception& e) {
    round_.expect(false, std::string("a call in a callback threw: ") + e.what());
  }

  void run_another(const char* from) {
    options how;
    how.machine = machine::synthetic("core:2 pu:1");
    execution other = start(box("other", takes(v), gives(v), [](std::int64_t value) { return value + 1; }), how);
    for (int i = 0; i < 5; ++i) other.send(v = i);
    other.close();
    std::int64_t next = 0;
    for (const record& r : other) round_.expect(r[v] == ++next, "a run in a callback gave another result");
    if (next != 5)
      round_.expect(false, std::string("a run in ") + from + " gave " + std::to_string(next) + " of 5 results:\n" +
                               other.report().full());
  }

  round& round_;
  const std::uint64_t salt_;
  std::atomic<execution*> run_{nullptr};
  std::atomic<int> inside_{0};
  std::atomic<std::uint64_t> calls_{0}, sent_{0}, taken_{0};
};

// Calls when the last copy ends.
struct caller_at_end {
  explicit caller_at_end(const std::shared_ptr<caller>& whose)
      : calls(new int(0), [whose](int* p) {
          delete p;
          whose->call("a destructor");
        }) {}
  std::shared_ptr<int> calls;
};
constexpr field<caller_at_end> value{"value"};

}  // namespace

void callbacks(round& r) {
  std::string about;
  options how = random_options(r, about);
  how.on_error = on_error::collect;
  how.watchdog.at_least = how.watchdog.unknown = 1e-4;
  how.watchdog.times = 1;
  enum end { read, stopped, destroyed };
  const end ending = !r.one_in(3) ? read : r.one_in(2) ? stopped : destroyed;
  const std::uint64_t records = 20 + r.up_to(slow ? 100 : 600);
  const bool long_boxes = r.one_in(3);
  about += ", " + std::to_string(records) + " records, " +
           (ending == read      ? "read"
            : ending == stopped ? "stopped"
                                : "destroyed") +
           (long_boxes ? ", some invocations of 2 ms" : "");
  r.say(about);

  const auto mine = std::make_shared<caller>(r, r.seed() * 1000);
  std::atomic<std::uint64_t> hangs{0}, seen{0};
  std::mutex mutex;
  std::map<std::string, std::uint64_t, std::less<>> told;
  how.on_observation = [&](std::string_view component, const observation&) {
    {
      const std::lock_guard lock(mutex);
      ++told[std::string(component)];
    }
    mine->call("on_observation");
  };
  how.watchdog.on_hang = [&](const hang&) { ++hangs, mine->call("on_hang"); };
  how.record_bytes = [&](const record&) -> std::uint64_t { return mine->call("record_bytes"), 8; };
  const network a =
      box("a", takes(v), gives(v, value),
          [&, long_boxes](std::int64_t i) {
            if (long_boxes && i % 64 == 5) std::this_thread::sleep_for(std::chrono::milliseconds(2));
            if (i % 50 == 7) throw std::runtime_error("a record that fails");
            return std::tuple(i, caller_at_end(mine));
          })
          .predicted_by([&](std::int64_t i) { return mine->call("a predictor"), static_cast<double>(1 + i % 3); },
                        degree{1});
  const network b = box("b", takes(v, value), gives(v), [](std::int64_t i, const caller_at_end&) { return i; });
  // For each k one record is held to the end, and its value with it.
  const network held = split(sync({half}, {other_half}), k);
  const network all = observe(a, [&](const record&, std::string_view) { ++seen, mine->call("observe"); }) >> held >> b;

  execution run = start(all, how);
  mine->begin(run);
  const auto send_all = [&] {
    try {
      for (std::uint64_t i = 0; i < records && !r.is_over(); ++i) {
        const auto number = static_cast<std::int64_t>(i);
        if (i % 16 == 3)
          run.send(record(v = number, k = number / 16 % 8, half = 1));
        else
          run.send(record(v = number, k = number % 8));
        mine->sent_one();
      }
      if (ending != destroyed) run.close();
    } catch (const run_error&) {  // stopped
      r.expect(ending == stopped, "send threw");
    }
  };
  std::thread sender;
  if (ending == destroyed)
    send_all();  // by the reader: results are then without bound
  else
    sender = std::thread(send_all);
  std::uint64_t got = 0;
  const auto read_some = [&](std::uint64_t most) {
    if (got >= most) return;
    for (const record& one : run) {
      (void)one;
      r.note_arrival();
      if (++got >= most) return;
    }
  };
  // If nothing closes the input, reads only as many as surely come: sending ends early when the time is over.
  const std::uint64_t most = ending == read ? ~std::uint64_t{0} : (ending == destroyed ? mine->sent() : records) / 4;
  read_some(most);
  if (ending == destroyed) return mine->end();
  if (ending == stopped) run.stop(), read_some(~std::uint64_t{0});
  sender.join();
  mine->end();
  const run_report report = run.report();
  const std::string counts = std::to_string(report.sent) + " sent, " + std::to_string(report.results) + " results, " +
                             std::to_string(report.failed) + " failed, " + std::to_string(report.dropped) +
                             " dropped, " + std::to_string(report.held) + " held; " + std::to_string(mine->sent()) +
                             " were sent and " + std::to_string(got) + " read; " + std::to_string(seen) + " observed";
  r.expect(report.sent == mine->sent(), "sent: " + counts);
  r.expect(report.results == got, "results: " + counts);
  r.expect(report.sent == report.results + report.failed + report.dropped + report.held,
           "the counts do not add up: " + counts);
  r.expect(mine->taken() + run.errors().size() == report.failed,
           "errors: " + std::to_string(mine->taken()) + " taken, " + counts);
  r.expect(hangs == report.hung,
           std::to_string(hangs) + " hangs were told, " + std::to_string(report.hung) + " in the report");
  const std::lock_guard lock(mutex);
  for (const component_report& c : report.components) {
    r.expect(told[c.name] == c.observations, c.name + ": " + std::to_string(told[c.name]) +
                                                 " observations were told, " + std::to_string(c.observations) +
                                                 " in the report");
    if (c.name == "a" && ending == read)
      r.expect(seen == c.invocations - c.failures, std::to_string(c.invocations) + " invocations of a: " + counts);
  }
}

}  // namespace weir::testing
