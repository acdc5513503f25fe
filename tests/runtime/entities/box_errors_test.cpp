#include <optional>
#include <stdexcept>

#include "tests/runtime/support/a_box.hpp"
#include "tests/runtime/support/sender_thread.hpp"

namespace weir {
namespace {

using namespace testing;

struct outcome {
  texts results;
  std::vector<failure> errors;
  run_report report;
};
outcome collected(const network& net, const std::vector<record>& inputs) {
  options o = quick();
  o.on_error = on_error::collect;
  execution run = start(net, o);
  for (const record& r : inputs) run.send(r);
  run.close();
  outcome all;
  for (const record& r : run) all.results.push_back(to_string(r));
  all.errors = run.errors();
  all.report = run.report();
  return all;
}

TEST_F(a_box, that_throws_ends_its_record_only_and_the_failure_says_where_what_and_why) {
  const network net =
      box("first", takes(n), gives(n), plus_one) >> box("second", takes(n), gives(n), [](std::int64_t v) {
        if (v == 3) throw std::runtime_error("cannot do 3");
        return v;
      });
  const outcome all = collected(net, {{n = 1, s = long_text(1)}, {n = 2, s = long_text(2)}, {n = 3}});
  EXPECT_EQ(all.results, (texts{"{s=" + long_text(1) + ", <n>=2}", "{<n>=4}"}));
  ASSERT_EQ(all.errors.size(), 1u);
  const failure& f = all.errors[0];
  EXPECT_EQ(f.kind, failure_kind::box_threw);
  EXPECT_EQ(f.path, ":S2");
  EXPECT_EQ(f.entity, "second");
  EXPECT_EQ(f.record, "{s=" + long_text(2) + ", <n>=3}");
  EXPECT_EQ(to_string(f), "second at :S2: the box threw \"cannot do 3\"; record {s=" + long_text(2) + ", <n>=3}");
  EXPECT_EQ(all.report.failed, 1u);
}

// A short sink is called without a look at its plan. It fails the records that it throws on, counts all, and releases
// their values.
TEST_F(a_box, that_is_a_short_sink_counts_its_records_and_fails_some) {
  constexpr std::int64_t records = 20000, one_in = 100;
  for (const bool is_serial : {false, true}) {
    auto sink = box("sink", takes(n, s), gives_none, [](std::int64_t v, const std::string&) {
      if (v % one_in == 0) throw std::runtime_error("a hundred");
    });
    const network last = is_serial ? network(sink.serial()) : network(sink);
    options o = quick();
    o.on_error = on_error::collect;
    execution run = start(source("numbers", gives(n, s),
                                 [](emitter& emit) {
                                   for (std::int64_t i = 0; i < records; ++i) emit(n = i, s = long_text(i));
                                 }) >>
                              box("add", takes(n), gives(n), plus_one) >> last,
                          o);
    run.close();
    run.wait();
    const run_report report = run.report();
    EXPECT_EQ(report.failed, static_cast<std::uint64_t>(records / one_in));
    ASSERT_EQ(report.components.size(), 3u);
    EXPECT_EQ(report.components[2].invocations, static_cast<std::uint64_t>(records));
  }
}

TEST_F(a_box, that_throws_instead_of_a_value_gives_back_the_memory_meant_for_it) {
  struct large {
    double at[32];
  };
  static constexpr field<large> much{"much"};
  static_assert(!detail::is_pooled<large> && detail::is_pooled<std::string>);
  const auto refuses_below_0 = [](std::int64_t v) {
    if (v < 0) throw std::runtime_error("negative");
  };
  const network net = box("large", takes(n), gives(much),
                          [=](std::int64_t v) {
                            refuses_below_0(v);
                            return large{};
                          }) |
                      box("pooled", takes(n, k), gives(s), [=](std::int64_t v, std::int64_t) {
                        refuses_below_0(v);
                        return long_text(v);
                      });
  const outcome all = collected(net, {{n = -1}, {n = -1, k = 1}, {n = 1}, {n = 1, k = 1}, {n = -2, k = 1}, {n = -2}});
  EXPECT_EQ(all.results.size(), 2u);
  EXPECT_EQ(all.errors.size(), 4u);
}

TEST_F(a_box, may_throw_anything_which_is_named_by_its_type) {
  struct timeout {};
  struct says_nothing : std::exception {
    const char* what() const noexcept override { return nullptr; }
  };
  const network net = box("f", takes(n), gives(n), [](std::int64_t v) {
    if (v == 1) throw 17;
    if (v == 2) throw std::string("told");
    if (v == 3) throw "literal";
    if (v == 4) throw timeout{};
    if (v == 5) throw std::vector<std::string>{};
    if (v == 6) throw says_nothing{};
    return v;
  });
  const outcome all = collected(net, {{n = 1}, {n = 2}, {n = 3}, {n = 4}, {n = 5}, {n = 6}, {n = 7}});
  EXPECT_EQ(all.results, texts{"{<n>=7}"});
  const texts causes{"an int: 17",
                     "a std::string: \"told\"",
                     "a const char*: \"literal\"",
                     "a weir::a_box_may_throw_anything_which_is_named_by_its_type_Test::TestBody()::timeout",
                     "a std::vector<std::string>",
                     "an exception whose what() is null"};
  ASSERT_EQ(all.errors.size(), causes.size());
  for (std::size_t i = 0; i < causes.size(); ++i) EXPECT_EQ(all.errors[i].cause, "the box threw " + causes[i]);
}

TEST_F(a_box, that_throws_between_its_values_loses_none_of_them) {
  struct bad {
    explicit bad(int) { throw std::runtime_error("second value"); }
    std::string text;
  };
  constexpr field<bad> worse{"worse"};
  const network net = box("f", takes(n), gives(s, worse), [](std::int64_t) { return std::tuple(long_text(1), 2); });
  const outcome all = collected(net, {{n = 1}});
  EXPECT_EQ(all.results, texts{});
  ASSERT_EQ(all.errors.size(), 1u);
}

TEST_F(a_box, that_throws_after_it_emitted_has_emitted) {
  const network net = box("f", takes(n), gives(k), [](std::int64_t, emitter& emit) {
    emit(k = 1);
    emit(k = 2);
    throw std::runtime_error("no more");
  });
  const outcome all = collected(net, {{n = 1}});
  EXPECT_EQ(all.results, (texts{"{<k>=1}", "{<k>=2}"}));
  EXPECT_EQ(all.errors.size(), 1u);
}

TEST_F(a_box, that_emits_what_it_did_not_declare_ends_its_record_with_an_error_naming_both) {
  const network net = box("f", takes(n), gives(c) | gives(c, d), [](std::int64_t v, emitter& emit) {
    if (v == 1) emit(s = long_text(1));
    if (v == 2) emit(c = 1, d = 2, a = 3);
    if (v == 3) emit();
    if (v == 4) emit(d = 2, c = 1);
  });
  const outcome all = collected(net, {{n = 1}, {n = 2}, {n = 3}, {n = 4}});
  EXPECT_EQ(all.results, texts{"{c=1, d=2}"});
  ASSERT_EQ(all.errors.size(), 3u);
  EXPECT_EQ(all.errors[0].kind, failure_kind::undeclared_emit);
  EXPECT_EQ(all.errors[0].cause, "emitted {s}, which is none of the declared outputs: {<n>} -> {c} | {c, d}");
}

TEST_F(a_box, that_emits_a_field_as_another_type_ends_its_record_with_an_error) {
  static constexpr field<double> c_as_double{"c"};
  const network net = box("f", takes(n), gives(c), [](std::int64_t, emitter& emit) { emit(c_as_double = 1.5); });
  const outcome all = collected(net, {{n = 1}});
  ASSERT_EQ(all.errors.size(), 1u);
  EXPECT_EQ(all.errors[0].kind, failure_kind::undeclared_emit);
  EXPECT_EQ(all.errors[0].cause, "emitted {c}, with field 'c' as a double, which is declared as an int");
}

TEST_F(a_box, that_catches_its_undeclared_emission_goes_on) {
  const network net = box("f", takes(n), gives(c), [](std::int64_t, emitter& emit) {
    try {
      emit(d = 1, s = long_text(1));
    } catch (const type_error&) {
      emit(c = 2);
    }
  });
  const outcome all = collected(net, {{n = 1}});
  EXPECT_EQ(all.results, texts{"{c=2}"});
  EXPECT_TRUE(all.errors.empty());
}

TEST_F(a_box, may_not_let_another_thread_use_its_emitter) {
  const network net = box("f", takes(n), gives(s), [](std::int64_t, emitter& emit) {
    std::string what;
    std::thread([&] {
      try {
        emit(s = long_text(1));
      } catch (const std::logic_error& error) {
        what = error.what();
      }
    }).join();
    emit(s = what);
  });
  EXPECT_EQ(given(net, {n = 1}),
            texts{"{s=an emitter was used by another thread than the one that runs its box: gather what other threads "
                  "compute, and let the box emit it}"});
}

TEST_F(a_box, may_not_emit_from_its_own_parallel_loop) {
  const network net = box("tiles", takes(n), gives(n), [](std::int64_t v, emitter& emit) {
    std::vector<std::jthread> others;  // as the workers of a parallel loop, whose exceptions it hands to the box
    std::exception_ptr thrown[4];
    for (std::exception_ptr& mine : thrown)
      others.emplace_back([&] {
        try {
          emit(n = v);
        } catch (...) {
          mine = std::current_exception();
        }
      });
    emit(n = v);
    others.clear();
    for (const std::exception_ptr& one : thrown)
      if (one) std::rethrow_exception(one);
  });
  options o;
  o.on_error = on_error::collect;
  execution run = start(net, o);
  sender_thread sender(run, 100);
  int results = 0;
  for ([[maybe_unused]] const record& r : run) ++results;
  sender.join();
  EXPECT_EQ(results, 100) << "what the box's thread emits leaves";
  ASSERT_EQ(run.errors().size(), 100u);
  EXPECT_NE(run.errors()[0].cause.find("another thread"), std::string::npos) << run.errors()[0].cause;
}

TEST_F(a_box, may_not_use_the_emitter_of_an_earlier_invocation) {
  emitter* kept = nullptr;
  const auto refused = [&] {
    try {
      (*kept)(n = 1);
    } catch (const std::logic_error& e) {
      return std::string(e.what());
    }
    return std::string("emitted");
  };
  std::vector<std::string> said;
  {
    const network net = box("keeps", takes(n), gives(n), [&](std::int64_t v, emitter& emit) {
                          if (kept && kept != &emit) said.push_back(refused());
                          if (!kept) kept = &emit;
                          emit(n = v);
                        }).serial();
    options o;
    o.machine = machine::synthetic("core:1 pu:1");
    execution run = start(net, o);
    for (int i = 0; i < 10; ++i) run.send(n = i);
    run.close();
    int results = 0;
    for ([[maybe_unused]] const record& r : run) ++results;
    EXPECT_EQ(results, 10);
    EXPECT_NE(refused().find("another thread"), std::string::npos) << "after the run's thread";
  }
  EXPECT_NE(refused(), "emitted") << "after the run";
  EXPECT_EQ(said.size(), 9u) << "one that was kept is not handed out again soon";
  for (const std::string& one : said)
    EXPECT_TRUE(one.find("after its box had returned") != std::string::npos ||
                one.find("another thread") != std::string::npos)
        << one;
}

TEST_F(a_box, whose_predictor_throws_ends_its_record_with_an_error) {
  const network net = box("f", takes(n), gives(n), plus_one)
                          .predicted_by(
                              [](std::int64_t v) -> double {
                                if (v == 1) throw std::runtime_error("no predictor for 1");
                                return static_cast<double>(v);
                              },
                              degree{1});
  const outcome all = collected(net, {{n = 1}, {n = 2}});
  EXPECT_EQ(all.results, texts{"{<n>=3}"});
  ASSERT_EQ(all.errors.size(), 1u);
  EXPECT_EQ(all.errors[0].cause, "its predictor threw \"no predictor for 1\"");
}

TEST_F(a_box, whose_field_cannot_even_be_printed_fails_without_the_record) {
  struct unprintable {
    std::string text = long_text(0);
  };
  struct printing {
    static void fail() { throw std::runtime_error("cannot print"); }
  };
  (void)printing::fail;
  constexpr field<unprintable> u{"u"};
  const network net = box("f", takes(u), gives(n), [](const unprintable&) -> std::int64_t { throw 1; });
  EXPECT_EQ(collected(net, {{u = unprintable{}}}).errors.size(), 1u);
}

}  // namespace
}  // namespace weir
