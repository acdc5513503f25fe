// process_parent HANGS TOLD: a run of a command whose processes hang. They open HANGS for reading, and write a line to
// TOLD before. It ends only when it is killed.
#include <string>

#include <weir/process.hpp>
#include <weir/weir.hpp>

int main(int, char** argv) {
  using namespace weir;
  constexpr field<std::string> value{"value"};
  const auto net =
      command("hang", takes(value), gives_none,
              {"sh", "-c", "cat $1 & setsid cat $1 & echo started > $2; cat $1", "sh", argv[1], argv[2], in(value)});
  execution run = start(net);
  run.send(value = "value");
  run.wait();
}
