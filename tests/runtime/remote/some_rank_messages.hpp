#pragma once

#include <pthread.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <weir/weir.hpp>

#include "runtime/remote/cut_plan.hpp"
#include "runtime/remote/rank_message.hpp"

// Parcels about one cut, written and read in this process: for tests, and for the fuzzer.
namespace weir::testing::rank_messages {

// The behaviour of its codec.
enum class how { well, writes_more, reads_more, writes_a_block_more, reads_a_block_more, throws, ends_thread };
inline how odd_codec = how::well;

struct odd_value {
  int value;
};

}  // namespace weir::testing::messages

template <>
struct weir::codec<weir::testing::rank_messages::odd_value> {
  using how = testing::rank_messages::how;
  static constexpr std::size_t many = wire_writer::block_bytes;
  static void write(wire_writer& to, const testing::rank_messages::odd_value& v) {
    static const std::vector<char> block(many);
    to.put(v.value);
    if (testing::rank_messages::odd_codec == how::writes_more) to.put('x');
    if (testing::rank_messages::odd_codec == how::writes_a_block_more) to.block(block.data(), many);
  }
  static testing::rank_messages::odd_value read(wire_reader& from) {
    static std::vector<char> block(many);
    const testing::rank_messages::odd_value v{from.get<int>()};
    if (testing::rank_messages::odd_codec == how::reads_more) from.get<char>();
    if (testing::rank_messages::odd_codec == how::reads_a_block_more) from.block(block.data(), many);
    if (testing::rank_messages::odd_codec == how::throws) throw std::runtime_error("odd");
    if (testing::rank_messages::odd_codec == how::ends_thread) pthread_exit(nullptr);
    return v;
  }
};

namespace weir::testing::rank_messages {

inline constexpr tag number{"number"};
inline constexpr field<int> small{"small"};
inline constexpr field<std::string> text{"text"};
inline constexpr field<std::vector<double>> values{"values"};
inline constexpr field<std::vector<std::vector<std::string>>> lists{"lists"};
inline constexpr field<odd_value> odd{"odd"};

struct sent {
  std::vector<std::byte> head;
  std::vector<std::size_t> sizes{};  // of its blobs
  std::size_t bytes = 0;             // that its records took, as the writer says
};

class some_rank_messages {
 public:
  static std::vector<std::string> texts() { return {"path", "", std::string(300, 't')}; }

  sent rank_message_of(const std::vector<record>& records) const {
    detail::remote::rank_message_writer to(0, 0, 3);
    std::map<const detail::shape*, detail::remote::packing> packings;
    sent s{{}};
    std::uint64_t call = 0;
    for (const record& r : records) {
      const auto how = packings.try_emplace(&r.shape(), packer_.pack_result(r.shape())).first;
      s.bytes += to.add(++call, 0, 0, *r.body(), how->second);
    }
    for (const std::string& t : texts()) to.add(t);
    detail::remote::message m = std::move(to).finish();
    s.head = std::move(m.head);
    for (const detail::remote::blob& b : m.blobs) s.sizes.push_back(b.bytes.size());
    return s;
  }

  std::size_t bytes_of(const record& r) const {  // of the second of its shape
    const std::size_t both = rank_message_of({r, r}).bytes, one = rank_message_of({r}).bytes;
    return both - one;
  }

  // Its blobs do not arrive.
  detail::remote::rank_message read(const sent& s) {
    std::vector<std::span<std::byte>> places;
    detail::remote::rank_message p = packer_.read(s.head, s.sizes, places);
    return p;
  }

  std::vector<sent> corpus() const {
    return {
        rank_message_of({}), rank_message_of({record{number = 1}}),
        rank_message_of({record{number = -3, small = -1, text = "a"}, record{number = 1, text = "b"}}),
        rank_message_of(
            {record{number = 2, values = std::vector<double>(10'000, 0.5)}, record{values = std::vector<double>(3)}}),
        rank_message_of({record{lists = std::vector<std::vector<std::string>>{{"a", ""}, {}, {std::string(200, 'x')}}},
                         record{odd = odd_value{3}, number = 1}})};
  }

 private:
  static network net() {
    return box("all", takes(number, small, text, values, lists, odd), gives(number),
               [](std::int64_t v, int, const std::string&, const std::vector<double>&,
                  const std::vector<std::vector<std::string>>&, const odd_value&) { return v; });
  }
  const detail::remote::cut_plan plan_{at(net(), 1), 2};
  mutable detail::remote::packer packer_{plan_};
};

}  // namespace weir::testing::messages
