// One piece of code for each number CASE, and all of them for ALL_CASES. All but 0, 40, 50 and 80 must fail to compile,
// each with its message in few lines (CMakeLists.txt in this folder has the messages).
#include <weir/weir.hpp>  // first: it may be there parsed

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

struct country;
template <>
inline constexpr bool weir::is_view<const country*> = false;

#ifdef ALL_CASES
#define IS(number) 1
#else
#define IS(number) (CASE == (number))
#endif

using namespace weir;

inline constexpr field<std::string> s{"s"};
inline constexpr field<int> i{"i"};
inline constexpr field<double> x{"x"};
inline constexpr field<std::unique_ptr<int>> only{"only"};
inline constexpr tag n{"n"}, k{"k"};
inline constexpr btag bound{"bound"};

enum class colour { red };
struct counter {
  std::int64_t calls = 0;
  std::int64_t operator()(std::int64_t v) { return v + ++calls; }
};

struct fixed_in_place {
  fixed_in_place() = default;
  fixed_in_place(const fixed_in_place&) = default;
  fixed_in_place(fixed_in_place&&) = delete;
};

void snippet() {
#if IS(0)
  box("f", takes(s, n), gives(k), [](const std::string&, std::int64_t) { return 1; });
#endif
#if IS(1)  // a parameter too few
  box("f", takes(s, n), gives(k), [](const std::string&) { return 1; });
#endif
#if IS(2)  // a parameter of another type
  box("f", takes(s), gives(k), [](int) { return 1; });
#endif
#if IS(3)  // a field taken by a reference that allows changing it
  box("f", takes(s), gives(k), [](std::string&) { return 1; });
#endif
#if IS(4)  // a result of another type
  box("f", takes(n), gives(s), [](std::int64_t) { return std::tuple(1, 2); });
#endif
#if IS(5)  // a value too few
  box("f", takes(n), gives(s, k), [](std::int64_t) { return std::string(); });
#endif
#if IS(6)  // nothing where a value is declared
  box("f", takes(n), gives(k), [](std::int64_t) {});
#endif
#if IS(7)  // a choice of variants without an emitter
  box("f", takes(n), gives(s) | gives(k), [](std::int64_t) { return std::string(); });
#endif
#if IS(8)  // a sink that returns something
  box("f", takes(n), gives_none, [](std::int64_t) { return 1; });
#endif
#if IS(9)  // an emitter and a result
  box("f", takes(n), gives(k), [](std::int64_t, emitter& emit) {
    emit(k = 1);
    return 1;
  });
#endif
#if IS(10)  // a predictor of other arguments
  box("f", takes(n), gives(k), [](std::int64_t) {
    return 1;
  }).predicted_by([](const std::string&) { return 1.0; }, degree{1});
#endif
#if IS(11)  // a value that is none of the field's type
  record{s = 5.0 * 3};
#endif
#if IS(12)  // a floating-point number in a tag
  record{n = 1.5};
#endif
#if IS(13)  // a field of a reference
  constexpr field<const std::string&> wrong{"wrong"};
  (void)wrong;
#endif
#if IS(14)  // 33 values
  box("f", takes(),
      gives(n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n), [] {
        return std::tuple(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                          1, 1);
      });
#endif
#if IS(15)  // a constant where only a field of the pattern may stand
  filter(takes(n)).emit(s = "constant");
#endif
#if IS(16)  // outputs before inputs
  box("f", gives(k), takes(n), [](std::int64_t v) { return v; });
#endif
#if IS(17)  // the same, of several variants
  box("f", gives(s) | gives(k), takes(n), [](std::int64_t, emitter&) {});
#endif
#if IS(18)  // the same, of a predicted box
  box("f", gives(k), takes(n), [](std::int64_t v) { return v; }).width(2).as("group") >> bypass();
#endif
#if IS(19)  // the same, of a signature
  (void)bypass().as("group", gives(k), takes(n));
#endif
#if IS(20)  // a tag into an int, behind a field
  box("f", takes(s, n), gives(k), [](const std::string&, int) { return 1; });
#endif
#if IS(21)  // the same, of a function that takes a grant and an emitter
  box(
      "f", takes(s, n), gives(k), +[](const grant&, const std::string&, int, emitter&) {});
#endif
#if IS(22)  // a tag into a double
  box("f", takes(n), gives(k), [](double) { return 1; });
#endif
#if IS(23)  // a field of double into a float
  box("f", takes(x), gives(k), [](float) { return 1; });
#endif
#if IS(24)  // a predictor that would move a field out before the box is called
  box("f", takes(only), gives(k), [](std::unique_ptr<int>&&) {
    return 1;
  }).predicted_by([](std::unique_ptr<int>&&) { return 1.; }, degree{1});
#endif
#if IS(25)  // the same, by value
  box("f", takes(only), gives(k), [](std::unique_ptr<int>) {
    return 1;
  }).predicted_by([](std::unique_ptr<int>) { return 1.; }, degree{1});
#endif
#if IS(26)  // the second result
  box("f", takes(n), gives(k, s), [](std::int64_t v) { return std::tuple(v, 2.5); });
#endif
#if IS(27)  // the second of an optional pair
  box("f", takes(n), gives(s, k), [](std::int64_t) { return std::optional(std::pair(std::string(), 2.5)); });
#endif
#if IS(28)  // a result that may not fit a tag
  box("f", takes(s), gives(k), [](const std::string& v) { return v.size(); });
#endif
#if IS(29)  // a predictor with a tag in an int
  box("f", takes(s, n), gives(k), [](const std::string&, std::int64_t v) {
    return v;
  }).predicted_by([](const std::string&, int) { return 1.0; }, degree{1});
#endif
#if IS(30)  // a predictor of no number
  box("f", takes(n), gives(k), [](std::int64_t v) {
    return v;
  }).predicted_by([](std::int64_t) { return std::string(); }, degree{1});
#endif
#if IS(31)  // a predictor with a parameter too many
  box("f", takes(n), gives(k), [](std::int64_t v) {
    return v;
  }).predicted_by([](std::int64_t, std::int64_t) { return 1.0; }, degree{1});
#endif
#if IS(32)  // an unsigned value of 64 bits in a tag
  record{n = std::string().size()};
#endif
#if IS(33)  // the same in a binding tag
  record{bound = std::uint64_t{1}};
#endif
#if IS(34)  // the same in an expression
  (void)(n >= std::string().size());
#endif
#if IS(35)  // a fraction in a field of int
  record{i = 2.5};
#endif
#if IS(36)  // a long integer in a field of int
  record{i = std::int64_t{5}};
#endif
#if IS(37)  // an emission that may not fit
  box("f", takes(s), gives(i), [](const std::string& v, emitter& emit) { emit(i = v.size()); });
#endif
#if IS(38)  // a result that is narrowed
  box("f", takes(n), gives(i), [](std::int64_t v) { return v; });
#endif
#if IS(39)  // a generic callable that cannot be called
  box("f", takes(s), gives(k), [](const auto&, const auto&, const auto&, const auto&) { return 1; });
#endif
#if IS(40)  // narrower or different types that lose nothing
  record{n = true, k = short{1}, i = 'c', x = 3, bound = 4u};
  box("f", takes(n, i, x), gives(k, x), [](long long, long, const double&) {
    return std::tuple(true, 1.0f);
  }).predicted_by([](const std::int64_t& v, auto, double) { return v; }, degree{1});
  box("g", takes(only), gives(k), [](const std::unique_ptr<int>&) { return 1; });
  box("h", takes(s, n), gives(s), [](std::string&& v, auto) { return std::move(v); });
#endif
#if IS(41)  // a fold's step that returns something
  fold("f", takes(n), gives(n), 0, [](int& sum, std::int64_t) { return sum; });
#endif
#if IS(42)  // a step without the state
  fold("f", takes(n), gives(n), 0, [](std::int64_t) {});
#endif
#if IS(43)  // an end that takes something else
  fold(
      "f", takes(n), gives(n), 0, [](int&, std::int64_t) {}, [](std::string&, emitter&) {});
#endif
#if IS(44)  // a fold's lists in the wrong order
  fold("f", gives(n), takes(n), 0, [](int&, std::int64_t) {});
#endif
#if IS(45)  // a state that can neither be copied nor made
  fold("f", takes(n), gives(n), std::unique_ptr<int>(), [](std::unique_ptr<int>&, std::int64_t) {});
#endif
#if IS(46)  // a parameter for a lane's state, and nothing that makes it
  box("f", takes(n), gives(n), [](std::string&, std::int64_t v) { return v; }) >> bypass();
#endif
#if IS(47)  // a maker that needs an argument
  box("f", takes(n), gives(n), [](std::string&, std::int64_t v) { return v; }).each_lane([](int) { return 1; });
#endif
#if IS(48)  // a maker of something else
  box("f", takes(n), gives(n), [](std::string&, std::int64_t v) { return v; }).each_lane([] { return 1; });
#endif
#if IS(49)  // a result that does not fit, of a box that keeps something
  box("f", takes(n), gives(n), [](std::string& v, std::int64_t) { return v; }).each_lane([] { return std::string(); });
#endif
#if IS(50)  // a state and a lane's state, as they should be
  fold(
      "f", takes(n), gives(n) | gives(s), [] { return std::unique_ptr<int>(); },
      [](std::unique_ptr<int>&, const grant&, std::int64_t, emitter&) {}, [](auto&) {});
  network kept = box("g", takes(s), gives(n), [](std::string& v, const grant&, std::string&&) {
                   return static_cast<std::int64_t>(v.size());
                 }).each_lane([] {
                     return std::string();
                   }).width(2);
#endif
#if IS(51)  // a field of a view
  (void)field<std::string_view>{"v"};
#endif
#if IS(52)  // of a pointer
  (void)field<const char*>{"v"};
#endif
#if IS(53)  // of a span
  (void)field<std::span<const double>>{"v"};
#endif
#if IS(54)  // of a reference in a class
  (void)field<std::reference_wrapper<std::string>>{"v"};
#endif
#if IS(55)  // of several views
  (void)field<std::vector<std::string_view>>{"v"};
#endif
#if IS(56)  // of nothing
  (void)field<void>{"v"};
#endif
#if IS(57)  // a callable that counts its calls, as a network
  network made = box("f", takes(n), gives(k), [calls = 0](std::int64_t v) mutable { return v + ++calls; });
#endif
#if IS(58)  // the same in a chain
  bypass() >> box("f", takes(n), gives(k), counter());
#endif
#if IS(59)  // the same of any parameter
  network made = box("f", takes(n), gives(k), [calls = 0](auto v) mutable { return v + ++calls; });
#endif
#if IS(60)  // the same with a lane's state
  network made = box("f", takes(n), gives(k), [calls = 0](std::string&, std::int64_t v) mutable {
                   return v + ++calls;
                 }).each_lane([] { return std::string(); });
#endif
#if IS(61)  // a predictor that counts its calls
  box("f", takes(n), gives(k), [](std::int64_t v) {
    return v;
  }).predicted_by([calls = 0](std::int64_t) mutable { return ++calls; }, degree{1});
#endif
#if IS(62)  // a maker that counts its calls
  box("f", takes(n), gives(n), [](std::int64_t& kept, std::int64_t v) {
    return kept + v;
  }).each_lane([calls = std::int64_t{0}]() mutable { return ++calls; });
#endif
#if IS(63)  // a fold without a state
  fold("f", takes(n), gives(n), [](int&, std::int64_t) {});
#endif
#if IS(64)  // a fold with an end and without a state
  fold(
      "f", takes(n), gives(n), [](int&, std::int64_t) {}, [](int&, emitter&) {});
#endif
#if IS(65)  // a fold whose state is at the end
  fold(
      "f", takes(n), gives(n), [](int&, std::int64_t) {}, [](int&, emitter&) {}, 0);
#endif
#if IS(66)  // a step that would change a copy of the state
  fold("f", takes(n), gives(n), 0, [](int sum, std::int64_t) { ++sum; });
#endif
#if IS(67)  // a step that changes its captures
  fold("f", takes(n), gives(n), 0, [calls = 0](int& sum, std::int64_t) mutable { sum += ++calls; });
#endif
#if IS(68)  // an end that does
  fold(
      "f", takes(n), gives(n), 0, [](int&, std::int64_t) {}, [calls = 0](int&) mutable { ++calls; });
#endif
#if IS(69)  // a function that makes a state and does
  fold(
      "f", takes(n), gives(n), [calls = 0]() mutable { return ++calls; }, [](int&, std::int64_t) {});
#endif
#if IS(70)  // a box that does not declare its outputs
  box("f", takes(n), [](std::int64_t v) { return v; });
#endif
#if IS(71)  // a box without a name
  box(takes(n), gives(n), [](std::int64_t v) { return v; });
#endif
#if IS(72)  // a source that does not declare its outputs
  source("f", [](emitter& emit) { emit(n = 1); });
#endif
#if IS(73)  // a source of lines for a tag
  source("f", gives(n), lines_of("file"));
#endif
#if IS(74)  // a name where a label is expected
  box("f", takes("n"), gives(k), [](std::int64_t v) { return v; });
#endif
#if IS(75)  // a string in a tag
  record{n = "three"};
#endif
#if IS(76)  // an enumerator in a tag
  record{n = colour::red};
#endif
#if IS(77)  // a label where a pattern is expected
  filter(n).emit(k = n);
#endif
#if IS(78)  // a guard over a field
  filter(takes(s)).when(s == "x").emit(s);
#endif
#if IS(79)  // an emitter before the values
  box("f", takes(n), gives(k), [](emitter&, std::int64_t) {});
#endif
#if IS(81)  // a fold of two kinds of records
  fold("f", takes(n) | takes(k), gives(k), 0, [](int&, std::int64_t) {});
#endif
#if IS(82)  // a box of two kinds of records
  box("f", takes(n) | takes(k), gives(k), [](std::int64_t v) { return v; });
#endif
#if IS(83)  // an end that returns a value
  fold(
      "f", takes(n), gives(n), 0, [](int&, std::int64_t) {}, [](int& sum) { return sum; });
#endif
#if IS(84)  // a number for a record
  start(bypass()).send(3);
#endif
#if IS(85)  // a split by a field
  split(bypass(), s);
#endif
#if IS(86)  // a guard for the exit of a star
  star(bypass(), n > 3);
#endif
#if IS(87)  // a guard for the way back of a feedback
  feedback(bypass(), n > 3);
#endif
#if IS(88)  // a field without the type of its values
  field unsaid{"unsaid"};
#endif
#if IS(89)  // a constant where a filter gives labels
  filter(takes(n)).emit(3);
#endif
#if IS(90)  // a small result that cannot be moved
  box("f", takes(n), gives(field<fixed_in_place>{"fixed"}), [](std::int64_t) { return fixed_in_place(); });
#endif
#if IS(91)  // labels for the patterns of a synchrocell
  sync(n, k);
#endif
#if IS(92)  // a callable in a chain, without a box around it
  bypass() >> [](std::int64_t v) { return v; };
#endif
#if IS(93)  // a binding with a name, whose value had none
  auto bound = (s = std::string("x"));
  start(bypass()).send(n = 1, bound);
#endif
#if IS(94)  // the same, emitted
  source("k", gives(s), [](emitter& emit) {
    auto bound = (s = std::string("x"));
    emit(bound);
  });
#endif
#if IS(80)  // what owns, what lives as long as any run, and what changes when it is called, one call at a time
  (void)std::tuple(field<std::shared_ptr<int>>{"a"}, field<std::unique_ptr<int[]>>{"b"}, field<void (*)(int)>{"c"},
                   field<const country*>{"d"}, field<std::vector<const country*>>{"e"}, field<country>{"f"});
  box("f", takes(s), gives(s), [](std::string_view v) { return v.substr(1); });
  network serial = box("g", takes(n), gives(k), counter())
                       .predicted_by([](std::int64_t) { return 1.0; }, degree{1})
                       .cores(1, 2)
                       .sequential()
                       .serial();
  network blocking = box("h", takes(n), gives(k), counter()).blocking(1);
  network stateless = box("i", takes(n), gives(k), [](auto v) mutable { return v; });
  network held = box("j", takes(n), gives(k), std::function<std::int64_t(std::int64_t)>(counter()));
  const std::string lasts = "x";
  auto bound = (s = lasts);
  const record twice{bound};
  network once = source("k", gives(n), [calls = 0](emitter& emit) mutable { emit(n = ++calls); });
#endif
}
