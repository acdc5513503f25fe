#include "bench/measurements/real_devices/device_run.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "components/device/device_kernels.hpp"
#include "components/images/blur.hpp"

namespace {

using namespace weir;
using components::device_image;
using components::device_queue;
using queue_of_slot = std::unique_ptr<device_queue>;

constexpr tag side("side"), id("id"), number("number");
constexpr field<device_image> picture("picture");

double seconds_since(std::chrono::steady_clock::time_point began) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

// Calls `send` on a thread of its own. Where a record has failed, the loop over the results throws.
template <class F>
std::jthread sender_of(const F& send) {
  return std::jthread([send] {
    try {
      send();
    } catch (const run_error&) {
    }
  });
}

std::uint64_t errors_of(const run_report& r) {
  std::uint64_t sum = 0;
  for (const device_report& d : r.devices) sum += d.errors;
  return sum;
}

}  // namespace

outcome device_run(const workload& of, const std::vector<int>& sides, const way& by, const opened_device& device,
                   const weir::device& slots, int repeats) {
  const auto third = static_cast<std::int64_t>(sides.size() / 3);
  const auto on_cores =
      box("work", takes(side, id), gives(number),
          [&](std::int64_t s, std::int64_t) { return of.on_cores(static_cast<int>(s)); })
          .predicted_by([](std::int64_t s, std::int64_t) { return static_cast<double>(s); }, degree{of.degree})
          .sequential();
  auto on_both = on_cores.on(
      slots,
      [&](queue_of_slot& q, std::int64_t s, std::int64_t i) {
        for (int more = i >= third && i < 2 * third ? repeats : 1; more > 1; --more)
          of.on_device(*q, static_cast<int>(s));
        return of.on_device(*q, static_cast<int>(s));
      },
      each_slot(device.queue));
  if (by.from) on_both = on_both.device_from(*by.from);
  options o;
  if (by.has_device) o.devices = {slots};
  const auto began = std::chrono::steady_clock::now();
  execution run = start(by.has_device ? on_both : on_cores, o);
  std::jthread sender = sender_of([&] {
    for (std::size_t i = 0; i < sides.size(); ++i) run.send(side = sides[i], id = static_cast<std::int64_t>(i));
    run.close();
  });
  std::uint64_t sum = 0;
  for (const record& r : run) sum += static_cast<std::uint64_t>(r[number]);
  sender.join();
  const double seconds = seconds_since(began);
  outcome got{static_cast<double>(sides.size()) / seconds};
  got.sum = static_cast<std::int64_t>(sum);
  const run_report r = run.report();
  got.errors = errors_of(r);
  if (!r.devices.empty()) {
    got.crossing = r.devices[0].crossing;
    got.on_device = static_cast<double>(r.devices[0].invocations) / static_cast<double>(sides.size());
  }
  return got;
}

batch_outcome batch_run(const workload& of, int size_of_inputs, std::size_t records, int size, bool is_learnt,
                        const opened_device& device, const weir::device& slots) {
  const auto work = box("work", takes(side), gives(number), [&](std::span<const std::int64_t> sides) {
    std::vector<std::int64_t> all;
    for (const std::int64_t s : sides) all.push_back(of.on_cores(static_cast<int>(s)));
    return all;
  });
  const auto on_device = [&](queue_of_slot& q, std::span<const std::int64_t> sides) {
    return of.batch_on_device(*q, size_of_inputs, sides.size());
  };
  const network net = (is_learnt ? work.batched(size) : work.batched(size, fixed_size))
                          .on(slots, on_device, each_slot(device.queue))
                          .device_from(0);
  options o;
  o.devices = {slots};
  const auto began = std::chrono::steady_clock::now();
  execution run = start(net, o);
  std::jthread sender = sender_of([&] {
    for (std::size_t i = 0; i < records; ++i) run.send(side = size_of_inputs);
    run.close();
  });
  std::uint64_t sum = 0;
  for (const record& r : run) sum += static_cast<std::uint64_t>(r[number]);
  sender.join();
  batch_outcome got{static_cast<double>(records) / seconds_since(began)};
  const run_report r = run.report();
  const device_report& d = r.devices.at(0);
  got.together = d.invocations > d.errors ? static_cast<double>(d.records) / double(d.invocations - d.errors) : 0;
  got.sum = static_cast<std::int64_t>(sum);
  got.errors = errors_of(r);
  return got;
}

chain_outcome chain_run(int size, int records, bool stays, const opened_device& device, const weir::device& slots) {
  constexpr int radius = 8;
  const components::rgb_image image = components::random_image(size, size, 1);
  const auto blur = [&](const char* name, bool is_last) {
    return box(name, takes(picture), gives(picture),
               [](const device_image& i) { return device_image(components::blurred(i.on_host(), radius)); })
        .on(
            slots,
            [stays, is_last](queue_of_slot& q, const device_image& i) {
              if (!stays) return device_image(components::blurred(*q, i.on_host(), radius));
              device_image result = components::blurred(*q, i, radius);
              if (is_last) result.on_host();
              return result;
            },
            each_slot(device.queue))
        .device_from(0);
  };
  options o;
  o.devices = {slots};
  const queue_of_slot counts = device.queue();
  const auto copies = [&] { return counts->transfers().to_device() + counts->transfers().from_device(); };
  const auto before = copies();
  const auto began = std::chrono::steady_clock::now();
  execution run = start(blur("first", false) >> blur("second", true), o);
  std::jthread sender = sender_of([&] {
    for (int i = 0; i < records; ++i) run.send(picture = device_image(image));
    run.close();
  });
  for (const record& r : run) static_cast<void>(r);
  sender.join();
  const double seconds = seconds_since(began);
  return {records / seconds, static_cast<double>(copies() - before) / records, errors_of(run.report())};
}
