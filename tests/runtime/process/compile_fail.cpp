// One piece of code for each number CASE, and all of them for ALL_CASES. All but 0 must fail to compile, each with its
// message in few lines (CMakeLists.txt of the folder above has the messages).
#include <weir/weir.hpp>  // first: it may be there parsed

#include <chrono>
#include <string>
#include <vector>

#include <weir/process.hpp>

#ifdef ALL_CASES
#define IS(number) 1
#else
#define IS(number) (CASE == (number))
#endif

using namespace weir;
using namespace std::chrono_literals;

inline constexpr field<std::string> text{"text"};
inline constexpr field<std::vector<double>> values{"values"};
inline constexpr field<std::vector<char>> bytes{"bytes"};
inline constexpr field<scratch_file> video{"video"};
inline constexpr tag crf{"crf"}, size{"size"};

network build() {
#if IS(0)  // each kind of argument, and each property
  return command("encode", takes(text, bytes, crf), gives(video),
                 {"encoder", "-i", in(bytes, ".y4m"), "--crf", crf, "--title=" + text, "--lp", cores_granted, 2.5, 7,
                  std::string("-b"), out(video), scratch, lane, cpus_granted})
      .within(5min)
      .memory(1u << 30)
      .retries(2)
      .succeeds_with({0, 1})
      .input(text)
      .predicted_by([](const std::string&, const std::vector<char>& b, std::int64_t) { return b.size(); }, degree{1})
      .cores(1, 4)
      .width(3);
#endif
#if IS(1)  // a value that is no bytes
  return command("c", takes(values), gives_none, {"program", in(values)});
#endif
#if IS(2)  // bytes as an argument
  return command("c", takes(bytes), gives_none, {"program", bytes});
#endif
#if IS(3)  // two kinds of records
  return command("c", takes(crf), gives(text) | gives(size), {"program"});
#endif
#if IS(4)  // a bound for a box of the program
  return box("b", takes(crf), gives(size), [](std::int64_t n) { return n; }).within(5s);
#endif
}
