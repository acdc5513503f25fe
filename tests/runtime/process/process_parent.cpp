// process_parent HANGS TOLD [MIB]: a run of a command whose processes hang. They open HANGS for reading, and write a
// line to TOLD before. MIB bounds their memory. It ends only when it is killed.
#include <cstdlib>
#include <string>

#include <weir/process.hpp>
#include <weir/weir.hpp>

int main(int argc, char** argv) {
  using namespace weir;
  constexpr field<std::string> value{"value"};
  auto net =
      command("hang", takes(value), gives_none,
              {"sh", "-c", "cat $1 & setsid cat $1 & echo started > $2; cat $1", "sh", argv[1], argv[2], in(value)});
  if (argc > 3) net = net.memory(std::strtoull(argv[3], nullptr, 10) << 20);
  execution run = start(net);
  run.send(value = "value");
  run.wait();
}
