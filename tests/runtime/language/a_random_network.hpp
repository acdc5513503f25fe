#pragma once

#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/language/random_grants.hpp"
#include "tests/runtime/language/random_networks.hpp"
#include "tests/support/gives_all_back.hpp"

namespace weir::testing {

class a_random_network : public gives_all_back {
 protected:
  // The network of this seed runs with cores, capacity, policy and timing of this seed. It gives exactly the oracle's
  // results, in that order.
  void expect_what_the_oracle_gives(std::uint64_t seed, bool with_threads = true) {
    network_maker maker(seed);
    const known_network known = maker.chain(1 + maker.up_to(19));
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + weir::to_string(known.net) + " of " +
                 weir::to_string(known.net.signature()));
    const int cores = 1 + (maker.up_to(1) ? maker.up_to(3) : maker.up_to(63));
    const std::string machine_text = "core:" + std::to_string(cores) + " pu:1";
    options o;
    o.machine = with_threads
                    ? machine::synthetic(machine_text)
                    : machine(std::make_shared<detail::machine_state>(detail::unthreaded_platform(machine_text)));
    o.capacity = std::vector<std::size_t>{0, 1, 2, 3, 16}[static_cast<std::size_t>(maker.up_to(4))];
    switch (maker.up_to(2)) {
      case 0:
        o.policy = equal_shares{};
        break;
      case 1:
        o.policy = random_shares(seed);
        break;
      default:
        break;
    }
    SCOPED_TRACE(machine_text + ", capacity " + std::to_string(o.capacity) + ", policy " + o.policy.name());

    std::vector<plain_record> inputs;
    std::vector<std::string> expected;
    for (int i = 0; i < 40; ++i) {
      inputs.push_back(maker.input_for(known.net, i));
      for (const plain_record& r : known.oracle(inputs.back())) expected.push_back(to_string(r));
    }

    execution run = start(known.net, o);
    const auto send_all = [&] {
      for (const plain_record& r : inputs) run.send(network_maker::real(r));
      run.close();
    };
    std::thread sender;
    if (with_threads && maker.up_to(1))
      sender = std::thread(send_all);
    else
      send_all();
    std::vector<std::string> got;
    for (const record& r : run) got.push_back(weir::to_string(r));
    if (sender.joinable()) sender.join();

    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], expected[i]) << "result " << i;
    const run_report report = run.report();
    EXPECT_EQ(report.sent, inputs.size());
    EXPECT_EQ(report.results, expected.size());
    EXPECT_EQ(report.failed + report.dropped, 0u);
  }
};

}  // namespace weir::testing
