#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <weir/process.hpp>
#include "tests/runtime/language/a_network_of_the_language.hpp"

// Random networks of the whole language, of which some boxes are processes: hosts of this program, and workers, which
// are this program, too.
namespace weir {
namespace {

using namespace testing::language;

constexpr const char* boxes_variable = "WEIR_TEST_BOXES";  // the boxes of the network, for a process that serves one
constexpr const char* as_worker = "--worker";

// A line for each box: its kind, salt and width, its name and its labels.
void write_boxes(const plan& p, std::ostream& to) {
  const plain_box& b = p.basis;
  if (p.what == plan::box) {
    to << static_cast<int>(b.kind) << ' ' << b.salt << ' ' << b.width << ' ' << b.name;
    for (const std::string& l : b.labels) to << ' ' << l;
    to << '\n';
  }
  for (const plan_ptr& q : p.parts) write_boxes(*q, to);
}

std::vector<network> read_boxes(std::istream& from) {
  std::map<std::string, network> all;  // a box may stand in several places
  realiser boxes;
  for (std::string line; std::getline(from, line);) {
    std::istringstream words(line);
    const auto p = std::make_shared<plan>();
    p->what = plan::box;
    plain_box& b = p->basis;
    int kind = 0;
    words >> kind >> b.salt >> b.width >> b.name;
    b.kind = static_cast<box_kind>(kind);
    for (std::string label; words >> label;) b.labels.push_back(label);
    all.emplace(b.name, boxes.of(p));
  }
  std::vector<network> list;
  for (const auto& [name, box] : all) list.push_back(box);
  return list;
}

// A network with two thirds of its boxes in processes, on up to 64 threads each.
class in_processes {
 public:
  explicit in_processes(std::uint64_t seed) : random_(seed) {}

  specimen of(const specimen& drawn) {
    granted_ = name_of_a_box(*drawn.what);
    realiser boxes([this](const network& box) { return placed(box); });
    specimen s = drawn;
    s.net = boxes.of(drawn.what);
    s.seen = boxes.observed();
    return s;
  }
  int processes() const { return processes_; }  // boxes that are

 private:
  network placed(const network& box) {
    const detail::box_spec& spec = detail::spec_of(box);
    network made = box;
    switch (random_() % 3) {
      case 0:
        return box;
      case 1:
        made = detail::make_isolated(box);
        break;
      default:
        made = detail::make_worker(spec.name.c_str(), spec.takes, spec.variants, {"/proc/self/exe", as_worker});
        made = detail::with_width(made, spec.max_width);
    }
    ++processes_;
    if (random_() % 2 || spec.name == granted_) return made;
    return detail::with_blocking(made, std::min(spec.max_width, 1 + static_cast<int>(random_() % 64)));
  }

  std::mt19937_64 random_;
  std::string granted_;  // the box that a way of running may grant cores to
  int processes_ = 0;
};

void end_early(way& w, const specimen& s) {
  std::size_t results = 0;
  for (const group& g : s.expected) results += g.size();
  w.first_error_ends = w.seed % 3 == 0;
  w.end = w.seed % 2 ? way::stopped : way::destroyed;
  if (w.end == way::destroyed) w.two_threads = false, results = s.before_end;
  w.reads = std::mt19937_64(w.seed)() % (results + 1);
}

class networks_of_processes : public a_network_of_the_language, public ::testing::WithParamInterface<int> {
 protected:
  void TearDown() override {
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
    a_network_of_the_language::TearDown();
  }
};

TEST_P(networks_of_processes, give_what_the_rules_of_the_language_say) {
  constexpr std::uint64_t in_each = 10;
  const std::uint64_t first = 1 + in_each * static_cast<std::uint64_t>(GetParam());
  const std::uint64_t count = testing::slow ? in_each / 3 : in_each;
  language_statistics statistics;
  int processes = 0;
  for (std::uint64_t seed = first; seed < first + count && !HasFailure(); ++seed) {
    in_processes some(seed);
    const specimen s = some.of(language_maker(seed).draw(statistics));
    std::ostringstream boxes;
    write_boxes(*s.what, boxes);
    ::setenv(boxes_variable, boxes.str().c_str(), 1);
    processes += some.processes();
    std::vector<way> ways = ways_for(seed, testing::slow ? 2 : 4);
    end_early(ways.back(), s);
    expect_what_the_rules_say(s, seed, ways);
  }
  EXPECT_GT(processes, 0);
}
INSTANTIATE_TEST_SUITE_P(all, networks_of_processes, WEIR_NETWORKS_OF_PROCESSES);

}  // namespace
}  // namespace weir

int main(int argc, char** argv) {
  using namespace weir;
  if (const char* const text = std::getenv(boxes_variable)) {
    weir::testing::language::boxes_behave().delays = true;
    std::istringstream from(text);
    const std::vector<network> boxes = read_boxes(from);
    if (argc > 1 && argv[1] == std::string(as_worker)) return serve(boxes);
    host(boxes);
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
