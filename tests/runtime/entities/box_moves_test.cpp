#include <atomic>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "tests/runtime/support/a_box.hpp"

// Fields that boxes and readers move out of records.
namespace weir {
namespace {

using namespace testing;

struct copy_counter {
  static inline std::atomic<int> copies{0};
  std::string text;
  explicit copy_counter(std::string t) : text(std::move(t)) {}
  copy_counter(const copy_counter& other) : text(other.text) { ++copies; }
  copy_counter(copy_counter&&) = default;
};
constexpr field<copy_counter> counted{"counted"};

TEST_F(a_box, moves_a_field_taken_as_rvalue_when_its_record_is_the_only_holder) {
  const network net =
      box("f", takes(counted), gives(counted), [](copy_counter&& v) { return copy_counter(std::move(v)); });
  execution run = start(net, quick());
  copy_counter::copies = 0;
  run.send(counted = copy_counter(long_text(1)));
  run.close();
  const auto got = all_of(run);
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0][counted].text, long_text(1));
  EXPECT_EQ(copy_counter::copies, 0);
}

TEST_F(a_box, copies_a_field_taken_as_rvalue_when_another_record_holds_it) {
  const network net =
      box("f", takes(counted), gives(counted), [](copy_counter&& v) { return copy_counter(std::move(v)); });
  execution run = start(net, quick());
  const record kept{counted = copy_counter(long_text(1))};
  copy_counter::copies = 0;
  run.send(kept);
  run.close();
  const auto got = all_of(run);
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0][counted].text, long_text(1));
  EXPECT_EQ(kept[counted].text, long_text(1)) << "what others hold is left as it was";
  EXPECT_EQ(copy_counter::copies, 1);
}

TEST_F(a_box, moves_a_field_that_cannot_be_copied_from_box_to_box_and_to_the_reader) {
  constexpr field<std::unique_ptr<int>> only{"only"};
  const network net =
      box("f", takes(n), gives(only), [](std::int64_t v) { return std::make_unique<int>(static_cast<int>(v)); }) >>
      box("g", takes(only), gives(only), [](std::unique_ptr<int>&& p) {
        ++*p;
        return std::move(p);
      });
  execution run = start(net, quick());
  for (int i = 0; i < 3; ++i) run.send(n = i);
  run.close();
  std::vector<std::unique_ptr<int>> got;
  for (record& r : run) got.push_back(r.take(only));
  ASSERT_EQ(got.size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(*got[static_cast<std::size_t>(i)], i + 1);
}

// A small one has memory of its own as well: a value inside the record would have no holder.
struct ticket {
  int number = 0;
  explicit ticket(int i) : number(i) {}
  ticket(ticket&&) = default;
  ticket& operator=(ticket&&) = default;
};
static_assert(std::is_trivially_copyable_v<ticket> && !std::is_copy_constructible_v<ticket>);

TEST_F(a_box, moves_a_small_field_that_cannot_be_copied) {
  constexpr field<ticket> only{"only"};
  const network net = box("f", takes(n), gives(only), [](std::int64_t v) { return ticket(static_cast<int>(v)); }) >>
                      box("g", takes(only), gives(only), [](ticket&& t) { return ticket(t.number + 1); });
  execution run = start(net, quick());
  for (int i = 0; i < 3; ++i) run.send(n = i);
  run.close();
  std::vector<ticket> got;
  for (record& r : run) got.push_back(r.take(only));
  ASSERT_EQ(got.size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(got[static_cast<std::size_t>(i)].number, i + 1);
}

TEST_F(a_box, that_would_move_what_cannot_be_copied_and_is_shared_ends_that_record) {
  constexpr field<std::unique_ptr<int>> only{"only"};
  const network twice = filter(takes(only)).emit(only, k = 1).emit(only, k = 2);
  const network net = twice >> box("g", takes(only), gives(n), [](std::unique_ptr<int>&& p) { return *p; });
  options o = quick();
  o.on_error = on_error::collect;
  o.max_failed_records_kept = 0;  // a kept record would share it on
  execution run = start(net, o);
  run.send(only = std::make_unique<int>(5));
  run.close();
  EXPECT_EQ(all_of(run).size(), 1u) << "the second is the only holder by then";
  ASSERT_EQ(run.errors().size(), 1u);
  EXPECT_NE(run.errors()[0].cause.find("cannot be copied, and cannot be moved out of one record while others share it"),
            std::string::npos)
      << run.errors()[0].cause;
}

TEST_F(a_box, mixes_parameters_that_move_and_that_do_not) {
  const network net = box("f", takes(s, a, s2, n), gives(s),
                          [](std::string&& one, int two, const std::string& three, std::int64_t four) {
                            return std::move(one) + std::to_string(two) + three + std::to_string(four);
                          });
  EXPECT_EQ(given(net, {s = "x", a = 1, s2 = "y", n = 2}), texts{"{s=x1y2}"});
}

TEST_F(a_box, that_moves_and_emits_does_not_harm_the_records_it_emitted) {
  const network net = box("f", takes(s), gives(s2), [](std::string&& text, emitter& emit) {
    std::string mine = std::move(text);
    emit(s2 = mine + "1");
    emit(s2 = mine + "2");
  });
  EXPECT_EQ(given(net, {s = "x", n = 7}), (texts{"{s2=x1, <n>=7}", "{s2=x2, <n>=7}"}));
}

TEST_F(a_box, shares_what_is_inherited_with_all_that_it_emits) {
  std::vector<const std::string*> seen;
  const network net = box("f", takes(n), gives(n), [](std::int64_t, emitter& emit) {
    for (int i = 0; i < 3; ++i) emit(n = i);
  });
  execution run = start(net, quick());
  const record input{n = 1, s = long_text(1)};
  run.send(input);
  run.close();
  const auto got = all_of(run);
  ASSERT_EQ(got.size(), 3u);
  for (const record& r : got) EXPECT_EQ(&r[s], &input[s]) << "no deep copy on the way";
}

}  // namespace
}  // namespace weir
