#include "runtime/process/message.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include <nlohmann/json.hpp>

namespace weir::detail::processes {

namespace {

constexpr std::array<char, 4> magic{'w', 'e', 'i', 'r'};
constexpr std::array<std::string_view, 6> kinds{"greeting", "call", "result", "done", "error", "stop"};

template <class Number>
Number little_endian(const std::byte* from) {
  Number n = 0;
  for (std::size_t i = sizeof(Number); i-- > 0;) n = static_cast<Number>(n << 8) | std::to_integer<Number>(from[i]);
  return n;
}
template <class Number>
void put_little_endian(Number n, std::byte* to) {
  for (std::size_t i = 0; i < sizeof(Number); ++i, n = static_cast<Number>(n >> 8)) to[i] = static_cast<std::byte>(n);
}

[[noreturn]] void malformed(const std::string& why) { throw protocol_error(why); }

std::uint64_t natural(const json_value& from, std::string_view what) {
  const std::optional<std::uint64_t> n = from.natural();
  if (!n) malformed(std::string(what) + " is no number of 0 or more");
  return *n;
}

// Blocks in the body lie one behind the other, up to its end.
void read_blocks(message& to, std::uint64_t body) {
  const json_value all = to.list("blocks");
  if (all.size() > message::most_blocks)
    malformed(std::to_string(all.size()) + " blocks, expected " + std::to_string(message::most_blocks) + " at most");
  std::uint64_t used = 0;
  to.blocks.reserve(all.size());
  all.each([&](const json_value& one) {
    block_place p;
    if (one.is() == json_value::sort::list) {
      if (one.size() != 3) malformed("a block in a file is [size, offset, file]");
      p = {natural(one[0], "the size of a block"), natural(one[1], "the offset of a block"), natural(one[2], "a file")};
      if (p.file == block_place::in_body) malformed("a file has no such number");
      if (p.size > std::numeric_limits<std::uint64_t>::max() - p.offset) malformed("a block ends behind all memory");
    } else {
      p.size = natural(one, "the size of a block");
      p.offset = used;
      if (p.size > body - used || aligned(p.size) > body - used) malformed("its blocks are longer than its body");
      used += aligned(p.size);
    }
    to.blocks.push_back(p);
  });
  if (used != body)
    malformed("its body has " + std::to_string(body) + " bytes, and its blocks take " + std::to_string(used));
}

}  // namespace

message_prefix read_prefix(std::span<const std::byte, message_prefix::bytes> from) {
  if (std::memcmp(from.data(), magic.data(), magic.size()) != 0) malformed("a message does not begin with \"weir\"");
  const message_prefix p{little_endian<std::uint32_t>(from.data() + 4), little_endian<std::uint64_t>(from.data() + 8)};
  if (p.head > message_prefix::most_head)
    malformed("a head of " + std::to_string(p.head) + " bytes, expected " + std::to_string(message_prefix::most_head) +
              " at most");
  if (p.body > message_prefix::most_body)
    malformed("a body of " + std::to_string(p.body) + " bytes, expected " + std::to_string(message_prefix::most_body) +
              " at most");
  return p;
}

void write_prefix(const message_prefix& of, std::byte* to) {
  std::memcpy(to, magic.data(), magic.size());
  put_little_endian(static_cast<std::uint32_t>(of.head), to + 4);
  put_little_endian(of.body, to + 8);
}

std::uint64_t message::number(std::string_view name) const {
  const auto found = find(name);
  if (!found) malformed("it has no member \"" + std::string(name) + '"');
  return natural(*found, name);
}

double message::seconds(std::string_view name) const {
  const auto found = find(name);
  const std::optional<double> n = found ? found->number() : std::nullopt;
  if (!n || !(*n >= 0)) malformed("its member \"" + std::string(name) + "\" is no number of 0 or more");
  return *n;
}

std::string message::text(std::string_view name) const {
  const auto found = find(name);
  std::optional<std::string> t = found ? found->text() : std::nullopt;
  if (!t) malformed("its member \"" + std::string(name) + "\" is no text");
  return *std::move(t);
}

json_value message::list(std::string_view name) const {
  const auto found = find(name);
  if (!found || found->is() != json_value::sort::list) malformed("its member \"" + std::string(name) + "\" is no list");
  return *found;
}

message read_head(std::string_view head, std::uint64_t body) {
  message m;
  m.head = json_text(head);
  if (m.head.root().is() != json_value::sort::object) malformed("its head is no JSON object");
  const std::string kind = m.text("kind");
  std::size_t k = 0;
  while (k < kinds.size() && kind != kinds[k]) ++k;
  if (k == kinds.size()) malformed("there is no kind of message \"" + kind.substr(0, 40) + "\"");
  m.kind = static_cast<message_kind>(k);
  if (m.find("blocks"))
    read_blocks(m, body);
  else if (body != 0)
    malformed("it has a body and no blocks");
  if (m.find("files")) {
    const json_value all = m.list("files");
    if (all.size() > message::most_files) malformed("it passes " + std::to_string(all.size()) + " files");
    for (std::size_t i = 0; i < all.size(); ++i) m.files.push_back(natural(all[i], "a file"));
  }
  return m;
}

message_writer::message_writer(message_kind kind) {
  head_.reserve(256);  // most heads are shorter
  head_ = "{\"kind\":\"";
  head_ += kinds[static_cast<std::size_t>(kind)];
  head_ += '"';
}

void message_writer::name(std::string_view member) {
  head_ += ",\"";
  head_ += member;
  head_ += "\":";
}

message_writer& message_writer::number(std::string_view member, std::uint64_t value) {
  name(member);
  append_number(head_, value);
  return *this;
}

message_writer& message_writer::seconds(std::string_view member, double value) {
  number(member, static_cast<std::uint64_t>(std::llround(1e9 * value)));  // the shortest text costs five times as much
  head_ += "e-9";
  return *this;
}

message_writer& message_writer::text(std::string_view member, std::string_view value) {
  name(member);
  head_ += nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return *this;
}

message_writer& message_writer::json(std::string_view member, std::string_view value) {
  name(member);
  head_ += value;
  return *this;
}

void message_writer::begin_list(std::string_view member) {
  name(member);
  head_ += '[';
}

std::size_t message_writer::block(std::span<const std::byte> bytes, std::shared_ptr<memory_file> file) {
  blocks_.push_back({bytes, std::move(file)});
  return blocks_.size() - 1;
}

std::size_t message_writer::block(std::vector<std::byte> bytes) {
  kept_.push_back(std::move(bytes));
  return block(std::span<const std::byte>(kept_.back()));
}

void message_writer::finish(std::span<const block_place> places, std::span<const std::uint64_t> files) {
  const auto list = [&](std::string_view member, const auto& all, const auto& write) {
    if (all.empty()) return;
    name(member);
    char before = '[';
    for (const auto& one : all) {
      head_ += before;
      write(one);
      before = ',';
    }
    head_ += ']';
  };
  const auto put = [&](std::uint64_t n) { append_number(head_, n); };
  list("blocks", places, [&](const block_place& p) {
    if (p.file == block_place::in_body) return put(p.size);
    head_ += '[';
    put(p.size);
    head_ += ',';
    put(p.offset);
    head_ += ',';
    put(p.file);
    head_ += ']';
  });
  list("files", files, put);
  head_ += '}';
  head_.append(aligned(head_.size() + message_prefix::bytes) - head_.size() - message_prefix::bytes, ' ');
}

}  // namespace weir::detail::processes
