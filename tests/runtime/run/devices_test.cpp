#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/runtime/engine/a_stream.hpp"
#include "tests/runtime/support/sender_thread.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/peak_count.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/work.hpp"

// Second implementations of boxes, on devices: box_network::on(). The devices are emulated: the callable of a slot
// computes on the slot's thread.
namespace weir {
namespace {

using namespace testing;

inline constexpr field<std::string> words{"words"};

class a_device : public gives_all_back {
 protected:
  static options with(const std::string& cores, const device& d) {
    options o = on(cores);
    o.devices = {d};
    return o;
  }
  // Sends 1 to count, and expects the results of the sequential program, in order.
  template <class F>
  static run_report expect_in_order(const network& net, const options& o, std::int64_t count, const F& of) {
    execution run = start(net, o);
    sender_thread sender(run, count, [](std::int64_t i) { return record{n = i + 1}; });
    std::int64_t next = 1;
    for (const record& r : run) {
      EXPECT_EQ(r[n], of(next)) << "record " << next;
      ++next;
    }
    sender.join();
    EXPECT_EQ(next, count + 1);
    run_report report = run.report();
    expect_counts_add_up(report);
    return report;
  }

  static std::string refused(const std::function<void()>& f) { return refusal<std::exception>(f); }
  const device gpu{"gpu0", 2};
};

std::uint64_t mixed(std::int64_t v) { return static_cast<std::uint64_t>(v) * 0x9E3779B97F4A7C15u; }

// Whatever runs where, and whenever the device throws, the results are those of the sequential program, in order.
TEST_F(a_device, changes_no_result_and_no_order_when_it_fails_at_random) {
  for (const char* const cores : {"1", "2", "5", "16", "64"})
    for (const std::uint64_t fails_one_in : {1u, 3u, 50u, 0u}) {
      const network net = box("twice", takes(n), gives(n), [](std::int64_t v) {
                            spend(v % 300);
                            return 2 * v;
                          }).on(gpu, [fails_one_in](std::int64_t v) -> std::int64_t {
        if (fails_one_in > 0 && (mixed(v) >> 33) % fails_one_in == 0)
          throw std::runtime_error("no memory on the device");
        spend(v % 100);
        return 2 * v;
      }) >> counting("plus");
      const run_report r = expect_in_order(net, with(cores, gpu), slow ? 200 : 2000, [](auto v) { return 2 * v + 1; });
      EXPECT_EQ(r.failed, 0u);
      ASSERT_EQ(r.devices.size(), 1u);
      EXPECT_GT(r.devices[0].invocations, 0u) << r.full();
      EXPECT_LE(r.devices[0].peak, 2);
      if (fails_one_in == 1) {
        EXPECT_EQ(r.devices[0].errors, r.devices[0].invocations);
      }
      if (fails_one_in == 0) {
        EXPECT_EQ(r.devices[0].errors, 0u);
      }
    }
}

// Both slots of a device work at the same time: each invocation waits until there are two.
TEST_F(a_device, runs_as_many_invocations_at_a_time_as_it_has_slots) {
  std::atomic<int> inside{0};
  std::atomic<bool> met{false};
  const network net = box("meet", takes(n), gives(n), plus_one)
                          .predicted_by([](std::int64_t v) { return v; }, degree{1})
                          .on(gpu,
                              [&](std::int64_t v) {
                                ++inside;
                                while (!met) {
                                  if (inside == 2) met = true;
                                  std::this_thread::yield();
                                }
                                --inside;
                                return v + 1;
                              })
                          .device_from(0);
  const run_report r = expect_in_order(net, with("2", gpu), 20, [](auto v) { return v + 1; });
  ASSERT_EQ(r.devices.size(), 1u);
  EXPECT_EQ(r.devices[0].peak, 2);
  EXPECT_EQ(r.devices[0].invocations, 20u);
}

// Two boxes on one device never have more invocations on it than it has slots, and both get some.
TEST_F(a_device, is_shared_by_boxes_within_its_slots) {
  peak_count inside;
  const auto on_device = [&](std::int64_t v) {
    const peak_count::visit here(inside);
    spend(50);
    return v + 1;
  };
  const device three{"gpu0", 3};
  const network net = box("a", takes(n), gives(n), plus_one).on(three, on_device).device_from(0) >>
                      box("b", takes(n), gives(n), plus_one).on(three, on_device).device_from(0);
  const run_report r = expect_in_order(net, with("4", three), slow ? 200 : 2000, [](auto v) { return v + 2; });
  EXPECT_LE(inside.peak(), 3);
  ASSERT_EQ(r.devices.size(), 2u);
  for (const device_report& d : r.devices) EXPECT_EQ(d.invocations, r.sent) << r.full();
}

// A value of each_slot() stays on its slot's thread: it is made, used and destroyed there, at most once a slot.
TEST_F(a_device, keeps_a_value_on_the_thread_of_each_slot) {
  std::mutex lock;
  std::set<std::thread::id> made, ended;
  std::atomic<int> wrong{0};
  struct kept {
    kept(std::mutex& l, std::set<std::thread::id>& e) : lock(&l), ended(&e) {}
    std::mutex* const lock;
    std::set<std::thread::id>* const ended;
    const std::thread::id by = std::this_thread::get_id();
    ~kept() {
      const std::lock_guard<std::mutex> held(*lock);
      if (by == std::this_thread::get_id()) ended->insert(by);
    }
  };
  const network net = box("use", takes(n), gives(n), plus_one)
                          .on(
                              gpu,
                              [&](std::unique_ptr<kept>& k, const slot& at, std::int64_t v) {
                                wrong += k->by != std::this_thread::get_id() || at.index() < 0 || at.index() > 1;
                                return v + 1;
                              },
                              each_slot([&] {
                                const std::lock_guard<std::mutex> held(lock);
                                EXPECT_TRUE(made.insert(std::this_thread::get_id()).second);
                                return std::make_unique<kept>(lock, ended);
                              }))
                          .device_from(0);
  expect_in_order(net, with("2", gpu), 500, [](auto v) { return v + 1; });
  EXPECT_EQ(wrong, 0);
  EXPECT_GE(made.size(), 1u);
  EXPECT_LE(made.size(), 2u);
  EXPECT_EQ(made, ended);
}

// A record whose invocation throws on the device runs on cores, once; the device is left alone meanwhile.
TEST_F(a_device, that_throws_loses_nothing_and_is_left_alone) {
  std::atomic<int> on_cores{0};
  const network net = box("work", takes(n), gives(n), [&](std::int64_t v) {
                        ++on_cores;
                        return v + 1;
                      }).on(gpu, [](std::int64_t) -> std::int64_t {
                          throw std::runtime_error("lost");
                        }).device_from(0);
  const run_report r = expect_in_order(net, with("1", gpu), 100, [](auto v) { return v + 1; });
  EXPECT_EQ(on_cores, 100);
  ASSERT_EQ(r.devices.size(), 1u);
  EXPECT_GE(r.devices[0].errors, 1u);
  EXPECT_LT(r.devices[0].errors, 100u) << "it was not left alone";
  bool noted = false;
  for (const std::string& note : r.notes)
    noted |= note.find("on device gpu0: the function threw \"lost\"") != note.npos;
  EXPECT_TRUE(noted) << r.notes.size();
}

// A stop ends the run although the device waits for it: the slot shows the stop, and what waits is dropped.
TEST_F(a_device, is_told_of_a_stop) {
  gate inside;
  std::atomic<bool> began{false};
  const network net = box("wait", takes(n), gives(n), plus_one)
                          .on(gpu,
                              [&](const slot& at, std::int64_t v) {
                                began = true;
                                while (!at.stop().stop_requested()) std::this_thread::yield();
                                return v;
                              })
                          .device_from(0);
  execution run = start(net, with("2", gpu));
  for (std::int64_t i = 0; i < 10; ++i) run.send(n = i);
  EXPECT_TRUE(eventually([&] { return began.load(); }));
  run.stop();
  run.wait();
  expect_counts_add_up(run.report());
}

// Without the device a box runs on cores, and a note says so; a device without a box is noted as well.
// Records that wait for cores are dropped when the run stops, by a call or by an error of one of them.
TEST_F(a_device, lets_records_go_that_wait_for_cores_when_the_run_stops) {
  for (const bool throws : {false, true})
    for (int run_number = 0; run_number < 10; ++run_number) {
      const network net = box("only cores", takes(n), gives(n),
                              [throws](std::int64_t v) {
                                spend(2000);
                                if (throws && v == 7) throw std::runtime_error("seven");
                                return v;
                              })
                              .predicted_by([](std::int64_t v) { return static_cast<double>(v); }, degree{1})
                              .on(gpu, [](std::int64_t v) { return v; })
                              .device_from(1e9);
      execution run = start(net, with("1", gpu));
      try {
        for (std::int64_t i = 1; i <= 200; ++i) run.send(n = i);
        if (!throws) run.stop();
        run.close();
      } catch (const std::exception&) {  // the run ended by the error
      }
      EXPECT_TRUE(eventually([&] { return run.report().ended; }));
      try {
        run.wait();
      } catch (const run_error&) {
      }
    }
}

TEST_F(a_device, that_the_run_lacks_leaves_the_box_on_cores) {
  const network net = box("work", takes(n), gives(n), plus_one).on(gpu, plus_one);
  const run_report r = expect_in_order(net, with("2", device{"gpu1"}), 10, [](auto v) { return v + 1; });
  EXPECT_TRUE(r.devices.empty());
  std::string notes;
  for (const std::string& note : r.notes) notes += note + '\n';
  EXPECT_NE(notes.find("work runs on cores alone: option devices does not name gpu0"), notes.npos) << notes;
  EXPECT_NE(notes.find("option devices: no box runs on gpu1"), notes.npos) << notes;
}

TEST_F(a_device, is_named_in_one_line_by_notes) {
  const network net = box("to\nwork", takes(n), gives(n), plus_one).on(device("gpu\n0"), plus_one);
  const run_report r = expect_in_order(net, with("2", device{"gpu\n1"}), 10, [](auto v) { return v + 1; });
  std::string notes;
  for (const std::string& note : r.notes) notes += note + '|';
  EXPECT_NE(notes.find(R"(to\nwork runs on cores alone: option devices does not name gpu\n0|)"), notes.npos) << notes;
  EXPECT_NE(notes.find(R"(option devices: no box runs on gpu\n1|)"), notes.npos) << notes;
}

// Boxed values, tuples, optionals, sinks, values kept on lanes, and boxes that emit on cores.
TEST_F(a_device, gives_what_its_box_gives) {
  const network text = box("text", takes(n), gives(words, n), [](std::int64_t v) {
                         return std::tuple(std::string(100, 'a'), v);
                       }).on(gpu, [](std::int64_t v) { return std::tuple(std::string(100, 'a'), v); });
  const network length =
      box("length", takes(words, n), gives(n), [](int& calls, const std::string& s, std::int64_t v, emitter& emit) {
        ++calls;
        if (v % 2 == 0) emit(n = static_cast<std::int64_t>(s.size()) + v);
      }).each_lane([] {
          return 0;
        }).on(gpu, [](const std::string& s, std::int64_t v) -> std::optional<std::int64_t> {
        if (v % 2 == 1) return std::nullopt;
        return static_cast<std::int64_t>(s.size()) + v;
      });
  execution run = start(text >> length, with("4", gpu));
  const std::int64_t count = slow ? 200 : 1000;
  for (std::int64_t i = 0; i < count; ++i) run.send(n = i);
  run.close();
  std::int64_t next = 0;
  for (const record& r : run) {
    EXPECT_EQ(r[n], 100 + next);
    next += 2;
  }
  EXPECT_EQ(next, count);
  std::atomic<std::int64_t> sum{0};
  const network sink =
      box("sink", takes(n), gives_none, [&](std::int64_t v) { sum += v; }).on(gpu, [&](std::int64_t v) { sum += v; });
  execution other = start(sink, with("2", gpu));
  for (std::int64_t i = 1; i <= 100; ++i) other.send(n = i);
  other.close();
  EXPECT_TRUE(all_of(other).empty());
  EXPECT_EQ(sum, 5050);
  EXPECT_EQ(other.report().records_ended, 100u);
}

// .width() holds for cores and device together, and so do resources.
TEST_F(a_device, keeps_to_the_width_and_the_resources_of_its_box) {
  peak_count inside;
  const auto work = [&](std::int64_t v) {
    const peak_count::visit here(inside);
    spend(20);
    return v + 1;
  };
  for (const bool by_width : {true, false}) {
    inside.reset();
    auto one = box("one", takes(n), gives(n), work).on(gpu, work);
    one = by_width ? one.serial() : one.needs(resource("licence", 1), 1);
    expect_in_order(one, with("4", gpu), slow ? 100 : 1000, [](auto v) { return v + 1; });
    EXPECT_EQ(inside.peak(), 1) << (by_width ? "serial" : "a resource");
  }
}

// The device box in a loop, in a split, and ordered.
TEST_F(a_device, runs_in_loops_and_splits) {
  const auto down = [](std::int64_t v) { return v - 1; };
  const network net = ordered(star(box("down", takes(n), gives(n), down).on(gpu, down), pattern{n}.where(n <= 0)));
  execution run = start(net, with("3", gpu));
  for (std::int64_t i = 1; i <= 50; ++i) run.send(n = i % 7, k = i);
  run.close();
  std::int64_t next = 1;
  for (const record& r : run) EXPECT_EQ(r[k], next++);
  EXPECT_EQ(next, 51);
}

// A report in all its forms has the device.
TEST_F(a_device, is_in_the_report) {
  const network net = box("work", takes(n), gives(n), plus_one).on(gpu, plus_one).device_from(0);
  const run_report r = expect_in_order(net, with("2", gpu), 10, [](auto v) { return v + 1; });
  const nlohmann::json j = nlohmann::json::parse(r.json());
  ASSERT_EQ(j["devices"].size(), 1u);
  EXPECT_EQ(j["devices"][0]["device"], "gpu0");
  EXPECT_EQ(j["devices"][0]["invocations"], 10);
  EXPECT_TRUE(j["devices"][0]["crossing"].is_null());
  EXPECT_NE(r.full().find("work on gpu0: 10 invocations"), std::string::npos) << r.full();
  const std::string metrics = metrics_text(r);
  const std::string labels = "{run=\"weir\",component=\"work\",device=\"gpu0\"} ";
  for (const char* const line : {"weir_device_slots", "weir_device_part", "weir_device_invocations_total"})
    EXPECT_NE(metrics.find(line + labels), std::string::npos) << line << "\n" << metrics;
  EXPECT_NE(metrics.find("weir_device_part" + labels + "1\n"), std::string::npos) << metrics;
}

// Once both sides are known, a report has what the last records cost on either, in order of their size.
TEST_F(a_device, has_the_costs_of_the_last_records_in_the_report) {
  const auto work = [](std::int64_t v) {
    spend(v % 50);
    return v + 1;
  };
  const network net = box("work", takes(n), gives(n), work)
                          .predicted_by([](std::int64_t v) { return v % 50; }, degree{1})
                          .on(gpu, work);
  const run_report r = expect_in_order(net, with("2", gpu), 400, [](auto v) { return v + 1; });
  ASSERT_EQ(r.devices.size(), 1u);
  ASSERT_EQ(r.devices[0].inputs.size(), 16u);
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_GT(r.devices[0].inputs[i].on_cores, 0);
    EXPECT_GE(r.devices[0].inputs[i].on_full_device, r.devices[0].inputs[i].on_device);
    EXPECT_GE(r.devices[0].inputs[i].x, r.devices[0].inputs[i == 0 ? 0 : i - 1].x);
  }
  const nlohmann::json j = nlohmann::json::parse(r.json());
  for (const char* const key : {"x", "on_cores", "on_device", "on_full_device"})
    EXPECT_EQ(j["devices"][0]["inputs"][key].size(), 16u) << key;
}

TEST_F(a_device, of_wrong_numbers_or_types_is_refused_in_words) {
  EXPECT_EQ(refused([] { device("", 1); }), "a device needs a name, got an empty one");
  EXPECT_EQ(refused([] { device("gpu", 0); }), "device gpu: 0 slots, expected 1 to 1024");
  const auto b = box("b", takes(n), gives(words), [](std::int64_t) { return std::string(); });
  EXPECT_EQ(refused([&] { b.on(gpu, [](std::int64_t v) { return v; }); }),
            "box b: on(gpu0, ..): the callable returns std::int64_t, expected std::string");
  const auto c = box("c", takes(n), gives(n), plus_one);
  EXPECT_EQ(refused([&] { c.blocking().on(gpu, plus_one); }),
            "box c: on(gpu0, ..) and blocking(), expected a box that runs on cores");
  EXPECT_EQ(refused([&] { c.device_from(3); }),
            "box c: device_from() without a device, expected on(device, f) before it");
  options o = on("1");
  o.devices = {gpu, gpu};
  EXPECT_EQ(refused([&] { start(c, o); }), "options.devices names gpu0 twice, expected one device of each name");
}

}  // namespace
}  // namespace weir
