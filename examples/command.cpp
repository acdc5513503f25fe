// Programs as boxes: a process for each record, with values as files, streams and arguments. One record's process hangs
// and is ended, another one's fails; each costs its record.
#include <chrono>
#include <iostream>
#include <map>
#include <string>

#include <weir/process.hpp>
#include <weir/weir.hpp>

namespace example {
using namespace weir;
using namespace std::chrono_literals;

inline constexpr field<std::string> text{"text"};
inline constexpr field<scratch_file> packed{"packed"};  // stays a file: it is not read into memory
inline constexpr tag n{"n"}, lines{"lines"};

const char* const script =
    "if [ $1 = 2 ]; then sleep 600; fi\n"
    "if [ $1 = 3 ]; then echo unwanted >&2; exit 4; fi\n"
    "cat $2; echo $1 > $3";

network pack_texts() {
  // From stream to stream.
  auto sort = command("sort", takes(text), gives(text), {"sort", "-u"}).input(text).output(text);
  // Values in files: the path of one with the text, and of one that becomes the tag.
  auto count = command("count", takes(text), gives(text, lines),
                       {"sh", "-c", "wc -l < $1 > $2; cat $1", "sh", in(text), out(lines)})
                   .output(text);
  // For the second record it hangs, and for the third it fails.
  auto check = command("check", takes(n, text), gives(n, text), {"sh", "-c", script, "sh", n, in(text), out(n)})
                   .output(text)
                   .within(3s);
  auto pack = command("pack", takes(text), gives(packed), {"gzip", "-9"}).input(text).output(packed);
  auto unpack = command("unpack", takes(packed), gives(text), {"gzip", "-d"}).input(packed).output(text);
  return sort >> count >> check >> pack >> unpack;
}

void run_it() {
  execution run = start(pack_texts(), {.on_error = on_error::collect});
  std::int64_t number = 0;
  for (const char* words : {"pear\napple\npear\n", "plum\n", "fig\n", "quince\nmedlar\nquince\n"})
    run.send(n = ++number, text = words);
  run.close();
  for (const record& r : run) std::cout << r[n] << ": " << r[lines] << " lines\n" << r[text];
  std::map<std::int64_t, std::string> failed;
  for (const failure& f : run.errors()) failed[(*f.as_record)[n]] = to_string(f.kind) + ": " + f.cause;
  for (const auto& [which, why] : failed) std::cout << which << ": " << why << '\n';
}
}  // namespace example

int main() { example::run_it(); }
