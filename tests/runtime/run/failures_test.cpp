#include <cstdint>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/runtime/run/a_failure.hpp"

// Errors while a network runs, one case for each kind. An error ends its record, is counted, reaches the caller with
// its path, and loses nothing else. Those by limits are in failure_limits_test.cpp.
namespace weir::failures_test {
namespace {

// ---- no match ----

TEST_F(a_failure, of_a_choice_that_has_no_branch_names_the_candidates) {
  const network one = box("one", takes(a, b), gives(c), [](int v, int w) { return v + w; });
  const network two = box("two", takes(a, b, n), gives(c), [](int v, int w, std::int64_t) { return v - w; });
  both({.net = joining() >> (one | two),
        .inputs = {record{a = 1}, record{a = 2, k = 7}, record{b = 3}},
        .results = {"{c=4}"},
        .failures = {{kind::no_match, ":S2", "choice", "{a=2, <k>=7}",
                      "no branch takes the record; there are {a, b} of one, {a, b, <n>} of two"}},
        .made = -1});
}

TEST_F(a_failure, of_a_box_that_does_not_take_the_record_says_what_lacks) {
  both({.net = joining() >> box("one", takes(a, b), gives(c), [](int v, int w) { return v + w; }),
        .inputs = {record{a = 1}, record{a = 2}, record{b = 3}},
        .results = {"{c=4}"},
        .failures = {{kind::no_match, ":S2", "one", "{a=2}", "it takes b, which the record does not have"}},
        .made = -1});
}

TEST_F(a_failure, of_a_filter_that_does_not_take_the_record_says_what_lacks) {
  both({.net = split(joining() >> filter(takes(a, b)).emit(a), k),
        .inputs = {record{a = 1, k = 4}, record{a = 2, k = 4}, record{b = 3, k = 4}},
        .results = {"{a=1, <k>=4}"},
        .failures = {{kind::no_match, ":I4:S2", "[{a, b} -> {a}]", "{a=2, <k>=4}",
                      "it takes b, which the record does not have"}},
        .made = -1});
}

TEST_F(a_failure, of_a_record_that_neither_leaves_a_star_nor_is_taken_by_its_body) {
  both({.net = star(filter(takes(n, k)).emit(n), pattern{n}.where(n == 0)),
        .inputs = {record{n = 1, k = 2}, record{n = 0, k = 3}},
        .results = {"{<k>=3, <n>=0}"},
        .failures = {{kind::no_match, ":R2", "[{<n>, <k>} -> {<n>}]", "{<n>=1}",
                      "it takes <k>, which the record does not have"}}});
}

TEST_F(a_failure, of_a_record_that_would_pass_through_every_stage_of_a_star) {
  both({.net = star(sync(pattern{n}.where(n > 0), pattern{b}), pattern{b, n}),
        .inputs = {record{n = 0}, record{n = 1}, record{b = 2}},
        .results = {"{b=2, <n>=1}"},
        .failures = {{kind::no_match, "", "star", "{<n>=0}",
                      "it passes through every stage unchanged and would never leave the star"}},
        .made = -1});
}

// ---- tags, guards, divisions ----

TEST_F(a_failure, of_a_split_without_its_tag_names_the_tag) {
  both({.net = sync({a}, {k}) >> split(filter(takes(a)).emit(a), k),
        .inputs = {record{a = 1}, record{a = 2}, record{k = 3}},
        .results = {"{a=1, <k>=3}"},
        .failures = {{kind::tag_missing, ":S2", "split <k>", "{a=2}",
                      "the record lacks the tag <k> that says which branch"}},
        .made = -1});
}

TEST_F(a_failure, of_a_filter_none_of_whose_guards_is_true_has_its_whole_path) {
  const network picky = filter(takes(n)).when(n > 2).emit(n = n - 1).when(n < 0).emit(n = n + 1);
  const std::string name = "[{<n>} -> if <n>2> then {<n=n-1>} else if <n<0> then {<n=n+1>}]",
                    why = "none of its guards is true: <n>2>, <n<0>";
  both({.net = picky,
        .inputs = {record{n = 2, x = 9}, record{n = 3}},
        .results = {"{<n>=2}"},
        .failures = {{kind::no_guard_true, "", name, "{<n>=2, <x>=9}", why}}});
  const network deep =
      bypass() >> (filter(takes(a)).emit(a) | split(star(bypass() >> picky, pattern{n}.where(n == 0)), k));
  both({.net = deep,
        .inputs = {record{n = 4, k = -7}, record{n = -2, k = 5}, record{a = 1}},
        .results = {"{<k>=5, <n>=0}", "{a=1}"},
        .failures = {{kind::no_guard_true, ":S2:P2:I-7:R3:S2", name, "{<k>=-7, <n>=2}", why}}});
}

TEST_F(a_failure, of_a_filter_that_divides_by_zero_in_an_expression_or_a_guard) {
  both({.net = bypass() >> filter(takes(n, k)).emit(n = n / k),
        .inputs = {record{n = 6, k = 2}, record{n = 6, k = 0}},
        .results = {"{<n>=3}"},
        .failures = {{kind::division_by_zero, ":S2", "[{<n>, <k>} -> {<n=n/k>}]", "{<k>=0, <n>=6}",
                      "<n> = n/k divides by zero"}}});
  both({.net = filter(takes(n, k)).when(n % k == 0).emit(n).otherwise(),
        .inputs = {record{n = 6, k = 2}, record{n = 6, k = 0}},
        .results = {"{<n>=6}"},
        .failures = {{kind::division_by_zero, "", "[{<n>, <k>} -> if <n%k==0> then {<n>} else ]", "{<k>=0, <n>=6}",
                      "the guard <n%k==0> divides by zero"}}});
}

TEST_F(a_failure, of_a_star_whose_exit_divides_by_zero_on_arrival_or_on_the_way) {
  const std::string why = "the guard of the exit {<n>} if <6/n==2> divides by zero";
  both({.net = bypass() >> star(counting_down(), pattern{n}.where(6 / n == 2)),
        .inputs = {record{n = 0}, record{n = 3}, record{n = 2}, record{n = 5}},
        .results = {"{<n>=3}", "{<n>=3}"},
        .failures = {{kind::division_by_zero, ":S2", "star", "{<n>=0}", why},
                     {kind::division_by_zero, ":S2:R2", "star", "{<n>=0}", why}}});
}

TEST_F(a_failure, of_a_synchrocell_whose_guard_divides_by_zero) {
  both({.net = sync(pattern{n}.where(6 / n > 0), pattern{a}),
        .inputs = {record{n = 0}, record{n = 3}, record{a = 2}, record{n = 0}},
        .results = {"{a=2, <n>=3}", "{<n>=0}"},
        .failures = {{kind::division_by_zero, "", "synchrocell", "{<n>=0}",
                      "the guard of {<n>} if <6/n>0> divides by zero, in [|{<n>} if <6/n>0>, {a}|]"}},
        .made = -1});
}

TEST_F(a_failure, of_a_feedback_whose_guard_divides_by_zero) {
  both({.net = bypass() >> feedback(counting_down(), pattern{n}.where(6 / n < 6)),
        .inputs = {record{n = 1}, record{n = 4}},
        .results = {"{<n>=1}"},
        .failures = {{kind::division_by_zero, ":S2", "feedback", "{<n>=0}",
                      "the guard of what goes back, {<n>} if <6/n<6>, divides by zero"}}});
}

// ---- boxes ----

TEST_F(a_failure, of_a_box_that_emits_what_it_did_not_declare_loses_that_record_only) {
  const network wrong = box("wrong", takes(n), gives(a) | gives(a, n), [](std::int64_t v, emitter& emit) {
    if (v == 1) emit(c = 1);
    if (v == 2) emit(n = 1);
    emit(a = static_cast<int>(v));
  });
  const std::string declared = ", which is none of the declared outputs: {<n>} -> {a} | {a, <n>}";
  both({.net = bypass() >> wrong,
        .inputs = {record{n = 1, x = 5}, record{n = 2}, record{n = 3}},
        .results = {"{a=3}"},
        .failures = {{kind::undeclared_emit, ":S2", "wrong", "{<n>=1, <x>=5}", "emitted {c}" + declared},
                     {kind::undeclared_emit, ":S2", "wrong", "{<n>=2}", "emitted {<n>}" + declared}}});
}

TEST_F(a_failure, of_a_box_that_throws_keeps_what_it_emitted_before) {
  const network throwing = box("throwing", takes(n), gives(n), [](std::int64_t v, emitter& emit) {
    emit(n = v);
    if (v == 1) throw std::runtime_error("singular");
    if (v == 2) throw 2;  // NOLINT: anything may be thrown
  });
  both({.net = split(bypass() | throwing, k) >> bypass(),
        .inputs = {record{n = 1, k = 1}, record{n = 2, k = 2}, record{n = 3, k = 3}, record{k = 4}},
        .results = {"{<k>=1, <n>=1}", "{<k>=2, <n>=2}", "{<k>=3, <n>=3}", "{<k>=4}"},
        .failures = {{kind::box_threw, ":S1:I1:P2", "throwing", "{<k>=1, <n>=1}", "the box threw \"singular\""},
                     {kind::box_threw, ":S1:I2:P2", "throwing", "{<k>=2, <n>=2}", "the box threw an int: 2"}},
        .made = 2});
}

// A null pointer is called so, and the causes that std::throw_with_nested() keeps are there, from the outer to the
// inner.
TEST_F(a_failure, of_a_box_says_what_an_odd_exception_holds) {
  const network throwing = box("throwing", takes(n), gives(n), [](std::int64_t v) -> std::int64_t {
    if (v == 1) throw nullptr;  // NOLINT: anything may be thrown
    if (v == 4) std::throw_with_nested(std::runtime_error("no cause"));
    try {
      if (v == 2) throw 2;  // NOLINT
      throw std::runtime_error("no such file");
    } catch (...) {
      std::throw_with_nested(std::runtime_error("no model"));
    }
  });
  both({.net = throwing >> bypass(),
        .inputs = {record{n = 1}, record{n = 2}, record{n = 3}, record{n = 4}},
        .results = {},
        .failures = {
            {kind::box_threw, ":S1", "throwing", "{<n>=1}", "the box threw a null pointer"},
            {kind::box_threw, ":S1", "throwing", "{<n>=2}",
             "the box threw \"no model\", caused by an exception that is no std::exception"},
            {kind::box_threw, ":S1", "throwing", "{<n>=3}", "the box threw \"no model\", caused by \"no such file\""},
            {kind::box_threw, ":S1", "throwing", "{<n>=4}", "the box threw \"no cause\""}}});
}

TEST_F(a_failure, of_an_observer_that_throws_ends_the_record) {
  const network seen = observe(counting_down(), [](const record& r, std::string_view) {
    if (r[n] == 0) throw std::runtime_error("unseen");
  });
  both({.net = bypass() >> seen,
        .inputs = {record{n = 1}, record{n = 2}},
        .results = {"{<n>=1}"},
        .failures = {{kind::box_threw, ":S2", "observe", "{<n>=0}", "the observer threw \"unseen\""}}});
}

// ---- order ----

TEST_F(a_failure, ends_the_position_of_its_record_in_an_ordered_network) {
  const network odd_fail = filter(takes(n)).when(n % 2 == 0).emit(n);
  for (const network& inner :
       {odd_fail, odd_fail | bypass(), network(split(odd_fail, n)), ordered(odd_fail) >> bypass(),
        box("odd_throw", takes(n), gives(n),
            [](std::int64_t v) { return v % 2 == 0 ? v : throw std::runtime_error("odd"); }) >>
            bypass(),
        star(filter(takes(n, k)).when(n % 2 == 0).emit(n, k = k - 1), pattern{n, k}.where(k == 0)),
        feedback(filter(takes(n, k)).when(n % 2 == 0).emit(n, k = k - 1), pattern{n, k}.where(k > 0))})
    for (const options& o : everywhere(on_error::collect, nullptr)) {
      execution run = start(ordered(inner), o);
      for (int i = 0; i < 40; ++i) run.send(n = i, k = 1 + i % 3);
      run.close();
      std::vector<std::int64_t> got, expected;
      for (const record& r : run) got.push_back(r[n]);
      for (int i = 0; i < 40; i += 2) expected.push_back(i);
      EXPECT_EQ(got, expected) << to_string(inner);
      EXPECT_EQ(run.errors().size(), 20u) << to_string(inner);
    }
}

// ---- send ----

TEST_F(a_failure, of_send_says_what_lacks_and_the_run_goes_on) {
  for (const options& o : everywhere(on_error::stop, nullptr)) {
    execution run = start((filter(takes(a, n)).emit(a) | filter(takes(b)).emit(b)).as("both"), o);
    const auto refused = [&](record r) {
      try {
        run.send(std::move(r));
      } catch (const send_error& error) {
        return words(error.details());
      }
      return std::string("it was taken");
    };
    const std::string at = "not accepted | both |  | ",
                      is = " | the record does not fit the input {a, <n>} -> {a}, {b} -> {b}: ";
    EXPECT_EQ(refused(record{a = 1}), at + "{a=1}" + is + "it lacks <n>");
    EXPECT_EQ(refused(record{b = 1, bk = 2}),
              at + "{b=1, <#k>=2}" + is + "it has the binding tag <#k>, which is not taken");
    EXPECT_EQ(refused(record{field<double>{"b"} = 0.5}),
              at + "{b=0.5}" + is + "its field 'b' is a double, expected was an int");
    run.send(b = 1);
    run.close();
    EXPECT_EQ(refused(record{b = 2}), "closed | both |  | {b=2} | send after close");
    EXPECT_EQ(all_of(run).size(), 1u);
    EXPECT_EQ(refused(record{b = 3}), "closed | both |  | {b=3} | send after close") << "also when it has drained";
    EXPECT_EQ(run.report().sent, 1u);
    EXPECT_EQ(run.report().failed, 0u) << "what was not taken did not fail";
  }
}

// ---- records left in synchrocells ----

TEST_F(a_failure, is_none_where_synchrocells_still_hold_records_which_the_report_lists_by_path) {
  const network net = bypass() >> (split(star(joining(), pattern{a, b}), k) | sync({c}, {d}, {x}));
  for (const options& o : everywhere(on_error::stop, nullptr)) {
    execution run = start(net, o);
    for (int i = 0; i < 3; ++i) run.send(a = i, k = 1);
    run.send(b = 1, k = 1);
    run.send(b = 1, k = -2);
    run.send(c = 1);
    run.send(d = 1);
    run.close();
    EXPECT_EQ(all_of(run).size(), 1u);
    const run_report report = run.report();
    std::map<std::string, std::size_t> at;
    for (const held_report& h : report.held_at) at[h.path] = h.records;
    EXPECT_EQ(at, (std::map<std::string, std::size_t>{
                      {":S2:P1:I1:R2", 1}, {":S2:P1:I1:R3", 1}, {":S2:P1:I-2:R1", 1}, {":S2:P2", 2}}));
    EXPECT_EQ(report.held, 5u);
    EXPECT_EQ(report.failed + report.dropped, 0u);
    EXPECT_NE(report.full().find(":S2:P1:I-2:R1"), std::string::npos) << report.full();
  }
}

TEST_F(a_failure, is_counted_by_its_kind) {
  options o = everywhere(on_error::collect, nullptr).back();
  execution run = start(filter(takes(n)).when(6 / n == 2).emit(n) >> bypass(), o);
  for (int i = 0; i < 4; ++i) run.send(n = i);
  run.close();
  EXPECT_EQ(all_of(run).size(), 1u);
  EXPECT_EQ(run.report().failed_by,
            (std::vector<std::pair<std::string, std::uint64_t>>{{"no guard true", 2}, {"division by zero", 1}}));
  EXPECT_NE(run.report().full().find("division by zero"), std::string::npos) << run.report().full();
}

}  // namespace
}  // namespace weir::failures_test
