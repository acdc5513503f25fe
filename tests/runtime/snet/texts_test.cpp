#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <weir/snet.hpp>
#include <weir/weir.hpp>

#include "runtime/machine/machine_state.hpp"
#include "runtime/machine/platform.hpp"
#include "runtime/snet/layout.hpp"
#include "runtime/snet/record_notation.hpp"
#include "tests/runtime/language/oracle.hpp"
#include "tests/runtime/snet/plan_of.hpp"

// Each text of the folder gives the results in the file next to it, with any number of workers, and so does the oracle
// for the network that was read. Lines of seq.txt come in that order, lines of set.txt in any.
namespace weir::texts_test {
namespace {

namespace language = testing::language;
using lines = std::vector<std::string>;

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
lines lines_of(const std::filesystem::path& file) {
  lines all;
  std::istringstream in(content_of(file));
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

struct example {
  explicit example(const std::filesystem::path& folder)
      : text(content_of(folder / "net.snet")),
        net(load_snet((folder / "net.snet").string())),
        inputs(lines_of(folder / "input.txt")),
        is_sequence(exists(folder / "seq.txt")),
        expected(lines_of(folder / (is_sequence ? "seq.txt" : "set.txt"))) {
    if (!is_sequence) std::sort(expected.begin(), expected.end());
  }
  lines as_compared(lines got) const {
    if (!is_sequence) std::sort(got.begin(), got.end());
    return got;
  }
  std::string text;
  network net;
  lines inputs;
  bool is_sequence;
  lines expected;
};

record read(const std::string& line) {
  const registry none;
  return detail::snet::record_notation({}, none).read(line);
}

lines results_of(const example& e, machine on) {
  options o;
  o.machine = std::move(on);
  execution run = start(e.net, o);
  for (const std::string& line : e.inputs) run.send(read(line));
  run.close();
  lines got;
  for (const record& r : run) got.push_back(to_string(r));
  return e.as_compared(got);
}

language::plain_record plain(const record& r) {
  language::plain_record made;
  for (int i = 0; i < r.shape().size(); ++i) {
    const detail::label_info& l = r.shape()[i];
    language::plain_value& v = made[to_string(l)];
    if (l.kind == label_kind::tag)
      v = r[tag(l.name)];
    else if (l.kind == label_kind::binding_tag)
      v = r[btag(l.name)];
    else if (*l.type->type == typeid(std::string))
      v = r[field<std::string>(l.name)];
    else
      v = r[field<std::int64_t>(l.name)];
  }
  return made;
}

lines results_of_the_oracle(const example& e) {
  language::oracle rules(language::plan_of(e.net));
  lines got;
  const auto add = [&](const std::vector<language::group>& groups) {
    for (const language::group& g : groups)
      for (const language::plain_record& r : g) got.push_back(language::to_string(r));
  };
  add(rules.start());
  for (const std::string& line : e.inputs) add(rules.push(plain(read(line))));
  add(rules.finish());
  return e.as_compared(got);
}

std::vector<std::string> names_of_texts() {
  std::vector<std::string> all;
  for (const auto& folder : std::filesystem::directory_iterator(WEIR_SNET_TEXTS))
    all.push_back(folder.path().filename().string());
  std::sort(all.begin(), all.end());
  return all;
}

class a_text : public ::testing::TestWithParam<std::string> {
 protected:
  const example e_{std::filesystem::path(WEIR_SNET_TEXTS) / GetParam()};
};

TEST_P(a_text, gives_what_is_expected_with_any_number_of_workers) {
  for (const int cores : {1, 2, 8})
    EXPECT_EQ(results_of(e_, machine::synthetic("core:" + std::to_string(cores) + " pu:1")), e_.expected) << cores;
  EXPECT_EQ(
      results_of(e_, machine(std::make_shared<detail::machine_state>(detail::unthreaded_platform("core:1 pu:1")))),
      e_.expected);
}

TEST_P(a_text, gives_what_the_sequential_oracle_gives) { EXPECT_EQ(results_of_the_oracle(e_), e_.expected); }

TEST_P(a_text, is_the_same_network_in_its_layout_which_is_the_layout_of_itself) {
  const auto layout_of = [](const std::string& text) {
    detail::snet::fault_list faults;
    const detail::snet::source_text source("t", text);
    std::string made = detail::snet::laid_out(source, faults);
    EXPECT_TRUE(faults.empty()) << faults.to_string(source);
    return made;
  };
  const std::string once = layout_of(e_.text);
  EXPECT_EQ(to_string(read_snet(once)), to_string(e_.net)) << once;
  EXPECT_EQ(layout_of(once), once);
}

TEST_P(a_text, prints_as_a_text_of_the_same_network) {
  const std::string text = to_string(e_.net);
  EXPECT_EQ(to_string(read_snet(text)), text);
}

INSTANTIATE_TEST_SUITE_P(all, a_text, ::testing::ValuesIn(names_of_texts()), [](const auto& of) { return of.param; });

}  // namespace
}  // namespace weir::texts_test
