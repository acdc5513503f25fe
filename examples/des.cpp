// A counted loop as a star with a tag: the 16 rounds of DES (FIPS 46-3). Stage r of the star does round r of every
// block that arrives. As many blocks are in the star at the same time, one behind the other as on a conveyor belt. No
// box names the <id> of a block: it is inherited. If each round shall have cores of its own, a loop in C++ can build a
// chain of the rounds instead. Both networks are in des_network.hpp, the code of the boxes in components/des.
#include <iomanip>
#include <iostream>

#include "examples/des_network.hpp"

namespace example {
using namespace weir;
namespace des = examples::des;

inline constexpr tag id{"id"};

void program() {
  // The common textbook example of DES, and the example of FIPS 81: "Now is the time for all ", in three blocks.
  struct {
    components::des_block key, text, published;
  } const vectors[]{{0x133457799bbcdff1, 0x0123456789abcdef, 0x85e813540f0ab405},
                    {0x0123456789abcdef, 0x4e6f772069732074, 0x3fa40e8a984d4815},
                    {0x0123456789abcdef, 0x68652074696d6520, 0x6a271787ab8883f9},
                    {0x0123456789abcdef, 0x666f7220616c6c20, 0x893d51ec4b563b53}};
  for (const network& encrypted : {des::star_of_rounds(), des::chain_of_rounds()}) {
    execution run = start(encrypted);
    for (int i = 0; i < 4; ++i) run.send(id = i, des::key = vectors[i].key, des::text = des::blocks{vectors[i].text});
    run.close();
    for (const record& r : run) {
      const components::des_block block = r[des::cipher].front();
      std::cout << "block " << r[id] << ": " << std::hex << std::setw(16) << std::setfill('0') << block << std::dec
                << (block == vectors[r[id]].published ? ", as published\n" : ", WRONG\n");
    }
    std::cout << run.report().components.size() << " components\n";
  }
}

}  // namespace example

int main() { example::program(); }
