#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <weir/model/named/estimators.hpp>
#include "tests/runtime/language/labels.hpp"
#include "tests/support/gives_all_back.hpp"

// A model gets the values of the named predictors of an input, or else what a run sees for nothing.
namespace weir {
namespace {

using namespace testing;

inline constexpr field<std::string> page{"page"};
inline constexpr field<std::vector<double>> dots{"dots"};
inline constexpr tag language{"language"}, pile{"pile"};

class predictors : public gives_all_back {
 protected:
  options on_one_core() {
    options o;
    o.machine = machine::synthetic("core:1 pu:1");
    o.policy = fixed_shares{{"read", 1}};
    o.on_observation = [this](std::string_view, const observation& seen) { observed.push_back(seen); };
    return o;
  }
  // Page i has i letters and 2 i dots, the language i mod 3.
  void run(const network& net, options o) {
    execution run = start(net, std::move(o));
    for (int i = 1; i <= 20; ++i)
      run.send(page = std::string(i, 'a'), dots = std::vector<double>(2 * i), language = i % 3, pile = 7);
    run.close();
    all_of(run);
    report = run.report();
  }
  std::vector<observation> observed;
  run_report report;
};

auto read() {
  return box("read", takes(page, dots, language), gives(n),
             [](const std::string& p, const std::vector<double>&, std::int64_t) { return std::ssize(p); });
}

double letters(const std::string& p, const std::vector<double>&, std::int64_t) { return static_cast<double>(p.size()); }
double count(const std::string&, const std::vector<double>& d, std::int64_t) { return static_cast<double>(d.size()); }

// An observation has the values of all named predictors, in their order, and so does the name of the model.
TEST_F(predictors, of_a_name_each_come_with_every_observation) {
  run(read().predicted_by(letters, count, kind(language)), on_one_core());
  ASSERT_EQ(observed.size(), 20u);
  for (const observation& o : observed) {
    EXPECT_EQ(o.further[0], 2 * o.x);
    EXPECT_EQ(o.further[1], std::fmod(o.x, 3));
    EXPECT_EQ(o.further[2], 0);
  }
  EXPECT_EQ(report.components[0].model.estimator, "weir(number, number, kind)");
}

// Without a predictor x is 1, and the taken tags and sizes of fields come behind it. A label that the box does not take
// is not read.
TEST_F(predictors, without_a_name_are_taken_tags_and_sizes) {
  run(read(), on_one_core());
  ASSERT_EQ(observed.size(), 20u);
  for (const observation& o : observed) {
    EXPECT_EQ(o.x, 1);
    EXPECT_EQ(o.further[1], 2 * o.further[0]);
    EXPECT_EQ(o.further[2], std::fmod(o.further[0], 3));
    EXPECT_EQ(o.further[3], 0);
  }
  EXPECT_EQ(report.components[0].model.estimator, "weir(candidate, candidate, candidate, candidate)");
}

// One number alone is learnt by the plain model, as ever.
TEST_F(predictors, of_one_number_are_learnt_by_the_plain_model) {
  run(read().predicted_by(letters), on_one_core());
  EXPECT_EQ(report.components[0].model.estimator, "weir");
  for (const observation& o : observed) EXPECT_EQ(o.further[0], 0);
}

// A predictor may be a member of the field's class.
TEST_F(predictors, may_be_pointers_to_members) {
  const network net = box("read", takes(page), gives(n), [](const std::string& p) {
                        return std::ssize(p);
                      }).predicted_by(&std::string::length);
  run(net, on_one_core());
  ASSERT_EQ(observed.size(), 20u);
  for (std::size_t i = 0; i < observed.size(); ++i) EXPECT_EQ(observed[i].x, i + 1);
}

// A kind alone is one predictor of the model of several.
TEST_F(predictors, of_a_kind_alone_have_levels) {
  run(read().predicted_by(kind(language)), on_one_core());
  EXPECT_EQ(report.components[0].model.estimator, "weir(kind)");
  EXPECT_TRUE(report.notes.empty());
}

// Types without a size are no candidates, and value_size makes them some.
struct sealed {
  int hidden = 0;
};
struct scan {
  int lines = 0;
};
struct torn {
  std::size_t size() const { throw std::runtime_error("a torn page has no size"); }
};
}  // namespace
template <>
struct value_size<scan> {
  static double of(const scan& s) { return 100.0 * s.lines; }
};
namespace {
inline constexpr field<sealed> closed{"closed"};
inline constexpr field<scan> sheet{"sheet"};
inline constexpr field<torn> piece{"piece"};

TEST_F(predictors, are_sizes_that_value_size_says) {
  const network net =
      box("read", takes(closed, sheet), gives(n), [](const sealed&, const scan& s) { return std::int64_t{s.lines}; });
  execution run = start(net, on_one_core());
  for (int i = 1; i <= 5; ++i) run.send(closed = sealed{}, sheet = scan{i});
  run.close();
  all_of(run);
  ASSERT_EQ(observed.size(), 5u);
  double sum = 0;
  for (const observation& o : observed) sum += o.further[0];
  EXPECT_EQ(sum, 1500);
}

// A size that throws costs no record; the model learns nothing from the invocation.
TEST_F(predictors, are_no_sizes_that_throw) {
  execution run = start(box("read", takes(piece), gives(n), [](const torn&) { return 1; }), on_one_core());
  for (int i = 1; i <= 5; ++i) run.send(piece = torn{});
  run.close();
  EXPECT_EQ(all_of(run).size(), 5u);
  ASSERT_EQ(observed.size(), 5u);
  for (const observation& o : observed) EXPECT_TRUE(std::isnan(o.further[0]));
  EXPECT_TRUE(std::isnan(run.predict("read", 1, cores{1}).mean));
  const std::vector<std::string> notes = run.report().notes;
  EXPECT_EQ(std::ranges::count(notes,
                               "the size of a field of read threw, or is no number, expected is a finite number "
                               "that is not negative: its model learns nothing from such invocations"),
            1);
}

// A prediction needs a value for each named predictor.
TEST_F(predictors, need_a_value_each_for_a_prediction) {
  execution run = start(read().predicted_by(letters, count), on_one_core());
  for (int i = 1; i <= 5; ++i) run.send(page = std::string(i, 'a'), dots = std::vector<double>(2 * i), language = 1);
  run.close();
  all_of(run);
  EXPECT_GT(run.predict("read", {2, 4}, cores{1}).mean, 0);
  EXPECT_THROW(run.predict("read", 2, cores{1}), std::invalid_argument);
  EXPECT_THROW(run.predict("read", {2, 4, 6}, cores{1}), std::invalid_argument);
}

// A box without a predictor takes one value, which then says nothing; no value at all is refused like too many.
TEST_F(predictors, that_are_not_there_need_one_value_for_a_prediction) {
  const execution run = start(read(), on_one_core());
  EXPECT_NO_THROW(run.predict("read", {1.0}, cores{1}));
  for (const std::initializer_list<double> values : {std::initializer_list<double>{}, {1, 2}})
    EXPECT_THROW(run.predict("read", values, cores{1}), std::invalid_argument) << values.size();
}

// A model that was saved by a run of the same predictors starts another one; the report calls candidates by their
// labels. A model of other predictors is refused, and one that knows of no candidates is taken.
TEST_F(predictors, of_saved_models_must_be_the_same) {
  const auto learnt = make_estimator("weir(candidate, candidate, candidate, candidate)", degree{0});
  for (int i = 0; i < 100; ++i) {
    observation o;
    o.further = {static_cast<double>(i * 37 % 100), 5.0, static_cast<double>(i * 7 % 3)};
    o.seconds = 1e-3 * (1 + o.further[0]);
    learnt->observe(o);
  }
  options o = on_one_core();
  o.prior_models["read"] = {learnt->describe().estimator, 0, learnt->state()};
  run(read(), o);
  EXPECT_EQ(report.components[0].model.use_names, std::vector<std::string>{"size of page"});
  EXPECT_NE(report.components[0].model.words.find("x of size of page explains"), std::string::npos)
      << report.components[0].model.words;

  EXPECT_THROW(start(read().predicted_by(letters, count), o), std::invalid_argument);
  const auto plain = make_estimator("weir", degree{0});
  o.prior_models["read"] = {"weir", 0, plain->state()};
  run(read(), o);
  EXPECT_EQ(report.components[0].model.estimator, "weir");
}

// A kind is a tag that the box takes.
TEST_F(predictors, that_are_kinds_are_tags_which_the_box_takes) {
  EXPECT_THROW(read().predicted_by(kind(pile)), type_error);
  EXPECT_THROW(start(read().predicted_by(letters, count) >> read().predicted_by(count, letters), on_one_core()),
               type_error)
      << "two boxes of one name";
}

}  // namespace
}  // namespace weir
