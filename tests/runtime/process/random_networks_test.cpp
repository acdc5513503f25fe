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
#include "tests/runtime/process/python.hpp"

// Random networks of the whole language, of which some boxes are processes: hosts of this program, and workers, which
// are this program, too, or a script.
namespace weir {
namespace {

using namespace testing::language;

constexpr const char* boxes_variable = "WEIR_TEST_BOXES";  // the boxes of the network, for a process that serves one
constexpr const char* as_worker = "--worker";
const std::vector<std::string> in_cpp{"/proc/self/exe", as_worker}, in_python{"python3", WEIR_RANDOM_BOXES_IN_PYTHON};

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
  in_processes(std::uint64_t seed, const std::vector<std::string>& worker) : random_(seed), worker_(worker) {}

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
        made = detail::make_worker(spec.name.c_str(), spec.takes, spec.variants, worker_);
        made = detail::with_width(made, spec.max_width);
    }
    ++processes_;
    if (random_() % 2 || spec.name == granted_) return made;
    return detail::with_blocking(made, std::min(spec.max_width, 1 + static_cast<int>(random_() % 64)));
  }

  std::mt19937_64 random_;
  const std::vector<std::string>& worker_;
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

  void expect_what_the_rules_say_with(const std::vector<std::string>& worker, std::uint64_t count, std::size_t ways) {
    constexpr std::uint64_t in_each = 10;
    const std::uint64_t first = 1 + in_each * static_cast<std::uint64_t>(GetParam());
    language_statistics statistics;
    int processes = 0;
    for (std::uint64_t seed = first; seed < first + count && !HasFailure(); ++seed) {
      in_processes some(seed, worker);
      const specimen s = some.of(language_maker(seed).draw(statistics));
      std::ostringstream boxes;
      write_boxes(*s.what, boxes);
      ::setenv(boxes_variable, boxes.str().c_str(), 1);
      processes += some.processes();
      std::vector<way> all = ways_for(seed, ways);
      end_early(all.back(), s);
      expect_what_the_rules_say(s, seed, all);
    }
    EXPECT_GT(processes, 0);
  }
};

TEST_P(networks_of_processes, give_what_the_rules_of_the_language_say) {
  expect_what_the_rules_say_with(in_cpp, testing::slow ? 3 : 10, testing::slow ? 2 : 4);
}

TEST_P(networks_of_processes, give_the_same_where_the_workers_are_in_python) {
  if (!testing::has_python()) GTEST_SKIP() << "there is no Python 3.9";
  expect_what_the_rules_say_with(in_python, 3, 2);  // a start of Python takes as long as a network of C++
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
