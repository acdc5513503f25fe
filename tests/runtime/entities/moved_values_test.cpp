#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/runtime/support/a_box.hpp"

// Values that a box takes by T&& and gives, of the same type: they keep their memory.
namespace weir {
namespace {

using namespace testing;

// A value that counts its copies and moves.
struct counted_value {
  static inline std::atomic<int> copies{0}, moves{0}, alive{0};
  static void begin() { copies = moves = 0; }

  std::string text;
  explicit counted_value(std::string t) : text(std::move(t)) { ++alive; }
  counted_value(const counted_value& other) : text(other.text) {
    ++copies;
    ++alive;
  }
  counted_value(counted_value&& other) noexcept : text(std::move(other.text)) {
    ++moves;
    ++alive;
  }
  counted_value& operator=(const counted_value&) = delete;
  ~counted_value() { --alive; }
};
std::ostream& operator<<(std::ostream& to, const counted_value& v) { return to << v.text; }

// A value whose move may throw, and one that is too large for a block of the pool.
struct risky_value {
  std::string text;
  explicit risky_value(std::string t) : text(std::move(t)) {}
  risky_value(const risky_value&) = default;
  risky_value(risky_value&& other) noexcept(false) : text(std::move(other.text)) {}
};
struct large_value {
  std::array<std::int64_t, 100> of{};
  std::string text;
};

constexpr field<counted_value> a1{"a1"}, a2{"a2"}, a3{"a3"};
constexpr field<risky_value> risky{"risky"};
constexpr field<large_value> large{"large"};
constexpr field<std::vector<int>> numbers{"numbers"};

class a_moved_value : public a_box {
 protected:
  void TearDown() override {
    EXPECT_EQ(counted_value::alive, 0) << "values must end with their records";
    a_box::TearDown();
  }

  // The results for one record without another holder.
  static std::vector<record> sent(const network& net, record&& input, options o = quick()) {
    execution run = start(net, o);
    counted_value::begin();
    run.send(std::move(input));
    run.close();
    return all_of(run);
  }
};

// The addresses that a value had: in boxes and at the reader.
class addresses {
 public:
  template <class T>
  void note(const T& v) {
    seen_.insert(&v);
  }
  std::size_t count() const { return seen_.size(); }

 private:
  std::set<const void*> seen_;
};

TEST_F(a_moved_value, keeps_its_memory_through_all_boxes_that_take_and_give_it) {
  addresses of_text, of_numbers, of_elements;
  const auto one = [&](int i) {
    return box("f" + std::to_string(i), takes(a1, numbers, n), gives(a1, numbers, n),
               [&](counted_value&& v, std::vector<int>&& all, std::int64_t k) {
                 of_text.note(v);
                 of_numbers.note(all);
                 of_elements.note(all.front());
                 v.text += "x";
                 ++all.back();
                 return std::tuple(std::move(v), std::move(all), k + 1);
               })
        .serial();
  };
  const auto got =
      sent(one(1) >> one(2) >> one(3), record{a1 = counted_value(long_text(1)), numbers = std::vector{1, 2}, n = 5});
  ASSERT_EQ(got.size(), 1u);
  of_text.note(got[0][a1]);
  of_numbers.note(got[0][numbers]);
  of_elements.note(got[0][numbers].front());
  EXPECT_EQ(of_text.count(), 1u);
  EXPECT_EQ(of_numbers.count(), 1u);
  EXPECT_EQ(of_elements.count(), 1u);
  EXPECT_EQ(got[0][a1].text, long_text(1) + "xxx");
  EXPECT_EQ(got[0][numbers], (std::vector{1, 5}));
  EXPECT_EQ(got[0][n], 8);
  EXPECT_EQ(counted_value::copies, 0);
  EXPECT_EQ(counted_value::moves, 3 * 2) << "in each box one into the tuple and one back";
}

TEST_F(a_moved_value, that_is_returned_alone_keeps_its_memory) {
  addresses at;
  const auto one = [&](int i) {
    return box("f" + std::to_string(i), takes(a1), gives(a1),
               [&](counted_value&& v) {
                 at.note(v);
                 return std::move(v);
               })
        .serial();
  };
  const auto another = [&](int i) {
    return box("g" + std::to_string(i), takes(a1), gives(a1),
               [&](counted_value&& v) {
                 at.note(v);
                 return counted_value(v.text + "y");
               })
        .serial();
  };
  const auto got = sent(another(1) >> one(2) >> another(3), record{a1 = counted_value("x")});
  ASSERT_EQ(got.size(), 1u);
  at.note(got[0][a1]);
  EXPECT_EQ(got[0][a1].text, "xyy");
  EXPECT_EQ(counted_value::copies, 0);
  EXPECT_EQ(counted_value::moves, 1 + 2 + 1) << "each is moved back, the second out of its parameter before";
  EXPECT_EQ(at.count(), 1u);
}

TEST_F(a_moved_value, may_come_back_under_other_labels_in_another_shape_and_with_new_ones) {
  const network net =
      box("swap", takes(a1, a2), gives(a1, a2),
          [](counted_value&& v, counted_value&& w) { return std::pair(std::move(w), std::move(v)); }) >>
      box("rename", takes(a1, a2), gives(a3, a1),
          [](counted_value&& v, counted_value&& w) { return std::pair(std::move(v), std::move(w)); }) >>
      box("more", takes(a3), gives(a2, a3, k),
          [](counted_value&& v) {
            const auto size = static_cast<std::int64_t>(v.text.size());
            return std::tuple(counted_value("new"), std::move(v), size);
          }) >>
      box("fewer", takes(a1, a2), gives(s), [](counted_value&& v, counted_value&& w) { return v.text + "+" + w.text; });
  const auto got = sent(net, record{a1 = counted_value("one"), a2 = counted_value("three"), n = 7});
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(to_string(got[0]), "{a3=three, s=one+new, <k>=5, <n>=7}");
  EXPECT_EQ(counted_value::copies, 0);
}

TEST_F(a_moved_value, of_a_record_with_many_labels_comes_through_as_any_other) {
  static const std::vector<std::string> names{"t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9", "u0", "u1"};
  std::vector<std::string> want;
  for (const int others : {8, 12}) {  // in a block of the pool all the way, and in larger memory on the way
    std::vector<detail::labelled_word> words;
    const auto add = [&](const auto& label, detail::slot_word word, const value_type* type) {
      words.push_back({label.c_str(), label.key(), label.kind(), type, word});
    };
    for (int i = 0; i < others; ++i)
      add(tag{names[static_cast<std::size_t>(i)]}, static_cast<std::uint64_t>(i), nullptr);
    add(a1, detail::make_word<counted_value>(counted_value("v")), detail::type_of<counted_value>());
    const network net =
        box("more", takes(a1), gives(a1, s, k),
            [](counted_value&& v) { return std::tuple(std::move(v), std::string("s"), std::int64_t{1}); }) >>
        box("fewer", takes(a1, s), gives(a2),
            [](counted_value&& v, std::string&& t) { return counted_value(v.text + t); });
    const auto got = sent(net, record::adopt(detail::body_of(words.data(), words.size())));
    ASSERT_EQ(got.size(), 1u);
    EXPECT_EQ(got[0][a2].text, "vs");
    EXPECT_EQ(got[0][k], 1);
    for (int i = 0; i < others; ++i) EXPECT_EQ((got[0][tag{names[static_cast<std::size_t>(i)]}]), i);
    EXPECT_EQ(counted_value::copies, 0);
  }
}

TEST_F(a_moved_value, that_another_record_holds_is_copied_and_stays_as_it_was) {
  const network net = box("f", takes(a1, a2), gives(a1, a2), [](counted_value&& v, counted_value&& w) {
    v.text += "x";
    w.text += "y";
    return std::pair(std::move(v), std::move(w));
  });
  const record kept{a1 = counted_value("one")};
  const network both = filter(takes(a1)).emit(a1, a2 = a1);  // one value under two labels
  execution run = start(both >> net, quick());
  counted_value::begin();
  run.send(kept);
  run.close();
  const auto got = all_of(run);
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(to_string(got[0]), "{a1=onex, a2=oney}");
  EXPECT_EQ(to_string(kept), "{a1=one}");
  EXPECT_EQ(counted_value::copies, 2);
}

TEST_F(a_moved_value, of_copies_that_run_at_the_same_time_is_never_changed_under_another) {
  const network twice = filter(takes(a1)).emit(a1, k = 1).emit(a1, k = 2).emit(a1, k = 3);
  const network net = twice >> box("f", takes(a1, k), gives(a1, k), [](counted_value&& v, std::int64_t which) {
                        v.text += std::to_string(which);
                        return std::pair(std::move(v), which);
                      });
  options o;
  o.machine = machine::synthetic("core:4 pu:1");
  o.policy = equal_shares{};
  execution run = start(net, o);
  for (int i = 0; i < 300; ++i) run.send(a1 = counted_value(std::to_string(i) + ":"), n = i);
  run.close();
  std::set<std::string> texts;
  for (const record& r : run) {
    EXPECT_EQ(r[a1].text, std::to_string(r[n]) + ":" + std::to_string(r[k]));
    texts.insert(r[a1].text);
  }
  EXPECT_EQ(texts.size(), 900u);
}

// A closed run, which collects its errors, with records 0 to 2 that have two values each.
execution given_three_pairs(const network& net) {
  options o = quick();
  o.on_error = on_error::collect;
  execution run = start(net, o);
  for (int i = 0; i < 3; ++i) run.send(a1 = counted_value("one"), a2 = counted_value("two"), n = i);
  run.close();
  return run;
}

TEST_F(a_moved_value, is_as_the_box_left_it_when_the_box_throws_and_all_else_as_it_was) {
  const network net =
      box("f", takes(a1, a2, n), gives(a1, a2, n), [](counted_value&& v, counted_value&& w, std::int64_t i) {
        counted_value mine = std::move(v);
        if (i == 1) throw std::runtime_error("no");
        return std::tuple(std::move(mine), std::move(w), i + 10);
      });
  execution run = given_three_pairs(net);
  EXPECT_EQ(all_of(run).size(), 2u);
  ASSERT_EQ(run.errors().size(), 1u);
  EXPECT_EQ(run.errors()[0].record, "{a1=, a2=two, <n>=1}");
}

// A value whose conversion to the type of its label throws.
struct refusing {
  operator counted_value() const { throw std::runtime_error("refused"); }
};

TEST_F(a_moved_value, ends_once_when_a_value_behind_it_cannot_be_made) {
  const network net = box("f", takes(a1, a2), gives(a1, a3, a2), [](counted_value&& v, counted_value&& w) {
    return std::tuple(std::move(v), refusing{}, std::move(w));
  });
  execution run = given_three_pairs(net);
  EXPECT_EQ(all_of(run).size(), 0u);
  ASSERT_EQ(run.errors().size(), 3u);
  EXPECT_NE(run.errors()[0].cause.find("refused"), std::string::npos) << run.errors()[0].cause;
  EXPECT_NE(run.errors()[0].record.find("<n>=0"), std::string::npos) << run.errors()[0].record;
}

TEST_F(a_moved_value, that_is_returned_by_reference_or_in_an_optional_comes_through) {
  const network net =
      box("reference", takes(a1), gives(a1), [](counted_value&& v) -> counted_value&& { return std::move(v); }) >>
      box("references", takes(a1, a2), gives(a2, a1),
          [](counted_value&& v, counted_value&& w) { return std::forward_as_tuple(std::move(v), std::move(w)); }) >>
      box("pair of references", takes(a1, a2), gives(a2, a1),
          [](counted_value&& v, counted_value&& w) {
            return std::optional(std::pair<counted_value&&, counted_value&&>(std::move(w), std::move(v)));
          }) >>
      box("const", takes(a1), gives(a1), [](counted_value&& v) -> const counted_value& { return v; }) >>
      box("perhaps", takes(a1, a2), gives(a1, a2), [](counted_value&& v, counted_value&& w) {
        return v.text == "drop" ? std::nullopt : std::optional(std::pair(std::move(v), std::move(w)));
      });
  EXPECT_EQ(given(net, record{a1 = counted_value("one"), a2 = counted_value("two")}), texts{"{a1=two, a2=one}"});
  EXPECT_EQ(given(net, record{a1 = counted_value("one"), a2 = counted_value("drop")}), texts{});
}

TEST_F(a_moved_value, that_may_throw_when_moved_or_is_large_comes_through) {
  const network net = box("f", takes(risky, large), gives(risky, large),
                          [](risky_value&& v, large_value&& w) {
                            v.text += "x";
                            w.of.back() += 1;
                            return std::pair(std::move(v), std::move(w));
                          }) >>
                      box("g", takes(risky), gives(risky), [](risky_value&& v) { return risky_value(v.text + "y"); }) >>
                      box("h", takes(large), gives(large), [](large_value&& v) {
                        v.text += "z";
                        return std::move(v);
                      });
  const auto got = sent(net, record{risky = risky_value("r"), large = large_value{{}, "l"}});
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0][risky].text, "rxy");
  EXPECT_EQ(got[0][large].of.back(), 1);
  EXPECT_EQ(got[0][large].text, "lz");
}

TEST_F(a_moved_value, is_taken_as_well_by_a_box_with_a_value_for_each_lane) {
  const network net =
      box("f", takes(a1, numbers), gives(a1, numbers), [](int& calls, counted_value&& v, std::vector<int>&& all) {
        v.text += "x";
        all.push_back(++calls);
        return std::pair(std::move(v), std::move(all));
      }).each_lane([] { return 0; });
  const auto got = sent(net >> net, record{a1 = counted_value("v"), numbers = std::vector<int>{}});
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0][a1].text, "vxx");
  EXPECT_EQ(got[0][numbers].size(), 2u);
  EXPECT_EQ(counted_value::copies, 0);
}

// A callable may return a reference to one of its arguments, as std::max and std::identity do: the record has its
// value, although the argument ends with the call. So do parts of a tuple, and a reference to what a parameter was made
// of.
TEST_F(a_moved_value, may_be_an_argument_that_is_returned_by_reference) {
  const field<std::string> text{"text"};
  const network tag_back =
      box("tag", takes(n), gives(n), [](const std::int64_t& v) -> const std::int64_t& { return v; });
  const network same = box("same", takes(n), gives(n), std::identity());
  const network parts = box("parts", takes(n, text), gives(n, text),
                            [](const std::int64_t& v, const std::string& t) { return std::forward_as_tuple(v, t); });
  const network behind_a_grant =
      box("behind", takes(n, text), gives(text),
          [](const grant&, const std::int64_t&, const std::string& t) -> const std::string& { return t; });
  const network converted = box("converted", takes(text), gives(text),
                                [](const std::optional<std::string>& t) -> const std::string& { return *t; });
  const std::string longer_than_a_slot(100, 'x');
  const auto got =
      sent(tag_back >> same >> parts >> behind_a_grant >> converted, record{n = 1234567, text = longer_than_a_slot});
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0][text], longer_than_a_slot);
  const auto numbers_back = sent(tag_back >> same >> parts, record{n = 1234567, text = "t"});
  ASSERT_EQ(numbers_back.size(), 1u);
  EXPECT_EQ(numbers_back[0][n], 1234567);
}

// weir never asks a value for its address by the operator that its type has.
template <class Kept>
struct hides_address {
  Kept kept;
  int operator&() const { return 7; }
};

TEST_F(a_moved_value, may_have_an_operator_for_its_address) {
  using small = hides_address<int>;
  using big = hides_address<std::string>;
  const field<small> number{"number"};
  const field<big> word{"word"};
  const network net =
      box("f", takes(number, word), gives(number, word),
          [](small v, big&& w) { return std::pair(small{v.kept + 1}, big{w.kept + "f"}); }) >>
      box("g", takes(number, word), gives(number, word), [](std::span<const small> all, std::span<const big> words) {
        std::vector<std::pair<small, big>> made;
        for (std::size_t i = 0; i < all.size(); ++i) made.emplace_back(all[i], big{words[i].kept + "g"});
        return made;
      }).batched(4);
  const record shared{number = small{1}, word = big{"w"}};
  const auto got = sent(net, record(shared));
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0][number].kept, 2);
  EXPECT_EQ(got[0][word].kept, "wfg");
  EXPECT_EQ(shared[word].kept, "w");
}

}  // namespace
}  // namespace weir
