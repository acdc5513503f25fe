#include "runtime/remote/rank_message.hpp"

#include <algorithm>
#include <limits>
#include <ostream>
#include <stdexcept>

#include "runtime/record/thrown.hpp"
#include "runtime/record/words.hpp"

namespace weir::detail::remote {

namespace {

// How a label is written. A tag that the network does not name: its kind, then its name. Any other label: first_number
// plus its number in the plan.
enum : std::size_t { tag_by_name, binding_tag_by_name, first_number };

void put_label(wire_writer& to, const cut_plan& plan, const label_info* l) {
  const int number = plan.number_of(l);
  if (number >= 0) return to.count(first_number + static_cast<std::size_t>(number));
  to.count(l->kind == label_kind::binding_tag ? binding_tag_by_name : tag_by_name);
  to.put_whole(l->name);
}

// Small numbers of either sign are small: 0, -1, 1, -2, ..
std::uint64_t zigzag_encoded(slot_word tag) { return (tag << 1) ^ (0 - (tag >> 63)); }
slot_word zigzag_decoded(std::uint64_t n) { return (n >> 1) ^ (0 - (n & 1)); }

// How many bytes count() takes.
std::size_t length_of(std::size_t number) {
  std::size_t bytes = 1;
  while (number >>= 7) ++bytes;
  return bytes;
}

// Puts the number of bytes, written from the byte behind `place` on, into that byte, or into more.
void put_length(wire_writer& to, std::size_t place, std::size_t number) {
  std::vector<std::byte>& head = to.head();
  head.insert(head.begin() + static_cast<std::ptrdiff_t>(place), length_of(number) - 1, std::byte{});
  for (; number > 0x7f; number >>= 7) head[place++] = static_cast<std::byte>(number | 0x80);
  head[place] = static_cast<std::byte>(number);
}

[[noreturn]] void refuse_message(const char* why) {
  throw std::runtime_error(std::string("weir: another rank sent a malformed message: ") + why);
}

}  // namespace

std::ostream& operator<<(std::ostream& to, const kept_handle&) { return to << "others"; }

const field<kept_handle>& kept_label() {
  static const field<kept_handle> label("kept at home");
  return label;
}

failure_kind kind_of(std::uint64_t number) {
  if (number >= static_cast<std::uint64_t>(failure_kinds)) refuse_index("kind of failure", number);
  return static_cast<failure_kind>(number);
}

void refuse_index(const char* what, std::uint64_t number) {
  throw std::runtime_error("weir: another rank sent " + std::string(what) + " " + std::to_string(number) +
                           ", which does not exist here");
}

std::string packing::why_refused(int rank) const {
  return "field '" + refused->name + "' cannot go to rank " + std::to_string(rank) +
         (refused->type->codec ? ": no part of the network names it with its type, "
                               : ": there is no codec for its type, ") +
         type_name(*refused->type);
}

const std::string& rank_message::why_unreadable(const item& i) const {
  return std::find_if(unreadable.begin(), unreadable.end(), [&](const auto& one) { return one.first == i.first; })
      ->second;
}

rank_message::~rank_message() {
  for (const item& i : items)
    if (i.record) drop_body(i.record);
}

// Holds the values that blobs are parts of.
struct rank_message_writer::keeper {
  std::vector<std::pair<slot_word, const value_type*>> values;
  ~keeper() {
    for (const auto& [word, type] : values) let_go(word, *type);
  }
};

void rank_message_writer::add(std::uint64_t first, std::uint64_t second, std::uint8_t flags) {
  to_.put(flags);
  to_.count(first);
  to_.count(second);
  ++items_;
}

std::size_t rank_message_writer::add(std::uint64_t first, std::uint64_t second, std::uint8_t flags,
                                     const record_body& r, const packing& how) {
  std::vector<std::byte>& head = to_.head();
  auto& blocks = to_.blocks();
  const std::size_t head_before = head.size(), blocks_before = blocks.size();
  const std::size_t shapes_before = shapes_.size(), kept_before = keeps_ ? keeps_->values.size() : 0;
  try {
    to_.put(static_cast<std::uint8_t>(flags | item::has_record));
    to_.count(first);
    to_.count(second);
    const std::size_t record = head.size();
    head.push_back({});  // its length
    auto known = std::find(shapes_.begin(), shapes_.end(), &how);
    to_.count(static_cast<std::size_t>(known - shapes_.begin()));
    if (known == shapes_.end()) {
      to_.bytes(how.labels.data(), how.labels.size());
      shapes_.push_back(&how);
    }
    for (const int slot : how.travels) {
      const label_info& l = (*r.shape)[slot];
      const slot_word word = r.slots()[slot];
      if (!l.type) {
        to_.count(zigzag_encoded(word));
        continue;
      }
      const std::size_t whole = blocks.size(), field = head.size();
      head.push_back({});  // its length, doubled; the lowest bit says whether a number of blocks follows
      try {
        l.type->codec->write(to_, word);
      } catch (...) {
        throw codec_fault(thrown_by(codec_of(l)));
      }
      const std::size_t length = head.size() - field - 1;
      if (blocks.size() > whole) {
        wire_writer number;
        number.count(blocks.size() - whole);
        head.insert(head.begin() + static_cast<std::ptrdiff_t>(field) + 1, number.head().begin(), number.head().end());
      }
      put_length(to_, field, length * 2 + (blocks.size() > whole));
      if (blocks.size() == whole || l.type->inlined) continue;  // an inlined value has nothing to keep
      if (!keeps_) keeps_ = std::make_shared<keeper>();
      keeps_->values.emplace_back(word, l.type);
      hold(word);
    }
    put_length(to_, record, head.size() - record - 1);
  } catch (...) {
    head.resize(head_before);
    blocks.resize(blocks_before);
    shapes_.resize(shapes_before);
    if (keeps_)
      for (; keeps_->values.size() > kept_before; keeps_->values.pop_back())
        let_go(keeps_->values.back().first, *keeps_->values.back().second);
    throw;
  }
  ++items_;
  std::size_t bytes = head.size() - head_before;
  for (std::size_t i = blocks_before; i < blocks.size(); ++i) bytes += blocks[i].size();
  return bytes;
}

message rank_message_writer::finish() && {
  wire_writer front;
  front.count(cut_);
  front.count(home_);
  front.count(items_);
  front.count(to_.head().size());
  message m{to_.blocks().empty() ? kind_ : kind_ | with_blobs, std::move(front.head()), {}};
  m.head.insert(m.head.end(), to_.head().begin(), to_.head().end());
  if (!texts_.empty()) {
    wire_writer back;
    back.count(texts_.size());
    for (const std::string& t : texts_) back.put_whole(t);
    m.head.insert(m.head.end(), back.head().begin(), back.head().end());
  }
  for (const std::span<const std::byte> block : to_.blocks()) m.blobs.push_back({block, keeps_});
  return m;
}

packer::packer(const cut_plan& plan) : plan_(plan) {
  for (const label_info* l : plan.labels()) meet(*l);
}

void packer::meet(const label_info& l) const {
  if (l.type && !(l.type->codec && l.type->codec->is_known) && l.type != type_of<kept_handle>())
    has_only_library_types_.store(false, std::memory_order_relaxed);
}

packing packer::pack(const cut* of, const shape& s) const {
  packing p;
  std::vector<const label_info*> stay;
  for (int i = 0; i < s.size(); ++i) {
    const label_info& l = s[i];
    meet(l);
    if (of && l.kind != label_kind::binding_tag && !of->reads.contains(l.key)) {
      stay.push_back(&l);
    } else if (!of && l.type == type_of<kept_handle>()) {
      p.kept = i;
    } else {
      p.travels.push_back(i);
      if (l.type && (!l.type->codec || plan_.number_of(&l) < 0)) p.refused = &l;
    }
  }
  wire_writer labels;
  labels.count(p.travels.size());
  for (const int i : p.travels) put_label(labels, plan_, &s[i]);
  p.labels = std::move(labels.head());
  p.stays = shape::of(stay);
  for (int i = 0; i < s.size(); ++i)
    if (const int to = p.stays->find(s[i].key); to >= 0) p.moves.emplace_back(i, to);
  return p;
}

const packer::layout& packer::layout_of(wire_reader& from) {
  const std::span<const std::byte> before = from.rest();
  std::vector<const label_info*> labels(from.count());
  for (const label_info*& l : labels) {
    const std::size_t which = from.count(0);
    if (which >= first_number) {
      if (which - first_number >= plan_.labels().size()) refuse_message("it names an unknown label");
      l = plan_.labels()[which - first_number];
      if (l->type && !l->type->codec) refuse_message("it names a label that does not travel");
    } else {
      const label_kind kind = which == binding_tag_by_name ? label_kind::binding_tag : label_kind::tag;
      l = intern(from.get_whole<std::string>().c_str(), {kind, nullptr});
    }
  }
  const std::size_t size = before.size() - from.rest().size();
  std::string key(reinterpret_cast<const char*>(before.data()), size);
  const auto at = layouts_.find(key);
  if (at != layouts_.end()) return at->second;
  layout made;
  made.of = shape::of(labels);
  if (made.of->labels().size() != labels.size()) refuse_message("it names a label twice");
  for (const label_info* l : labels) made.slots.emplace_back(l, made.of->find(l->key));
  return layouts_.try_emplace(std::move(key), std::move(made)).first->second;
}

// The blobs of one message, in the order in which they were written.
struct packer::blocks {
  std::span<const std::size_t> sizes;         // of those that are left
  std::vector<std::span<std::byte>>& places;  // of those before
  std::vector<std::unique_ptr<std::byte[]>>& skipped;
  std::size_t bytes = 0;  // of those before

  std::span<const std::size_t> next(std::size_t count) {
    if (count > sizes.size()) refuse_message("a field has more blocks than came");
    return sizes.first(count);
  }
  // They go where the reader's value wants them, or nowhere.
  void take(std::size_t count, std::vector<std::span<std::byte>>* wanted) {
    for (std::size_t i = 0; i < count; ++i) {
      bytes += sizes[i];
      if (!wanted) skipped.push_back(std::make_unique_for_overwrite<std::byte[]>(sizes[i]));
      places.push_back(wanted ? (*wanted)[i] : std::span(skipped.back().get(), sizes[i]));
    }
    sizes = sizes.subspan(count);
  }
};

// Null: a field cannot be read, `wrong` says which and why, and the rest was passed over.
record_body* packer::read_record(wire_reader from, const layout& of, blocks& blocks_left, std::string& wrong) {
  owned_body body(make_body(of.of));
  std::size_t made = 0;
  const auto end_values = [&] {
    while (made-- > 0)
      if (const auto [label, slot] = of.slots[made]; label->type && !label->type->inlined)
        let_go(body->slots()[slot], *label->type);
    free_body(body.release());
  };
  const auto read_field = [&](const label_info& l, slot_word& into, wire_reader& value, std::size_t count) {
    const std::size_t written = value.rest().size();
    try {
      into = l.type->codec->read(value);
    } catch (...) {
      wrong = thrown_by(codec_of(l));
      return false;
    }
    ++made;
    if (value.rest().empty() && value.places().size() == count) return true;
    wrong = codec_of(l) + " wrote " + std::to_string(written) + " bytes and " + std::to_string(count) +
            " blocks, and read " + std::to_string(written - value.rest().size()) + " bytes and " +
            std::to_string(value.places().size()) + " blocks";
    return false;
  };
  try {
    for (const auto& [label, slot] : of.slots) {
      if (!label->type) {
        const slot_word tag = zigzag_decoded(from.count(0));
        if (wrong.empty()) body->slots()[slot] = tag, ++made;
        continue;
      }
      const std::size_t length = from.count(0), count = length & 1 ? from.count(0) : 0;
      if (length / 2 > from.rest().size()) refuse_message("a field is longer than its record");
      wire_reader value(from.rest().first(length / 2), blocks_left.next(count));
      from = wire_reader(from.rest().subspan(length / 2));
      const bool is_read = wrong.empty() && read_field(*label, body->slots()[slot], value, count);
      blocks_left.take(count, is_read ? &value.places() : nullptr);
    }
    if (!from.rest().empty()) refuse_message("a record is longer than its fields");
  } catch (...) {
    end_values();
    throw;
  }
  if (wrong.empty()) return body.release();
  end_values();
  return nullptr;
}

rank_message packer::read(std::span<const std::byte> head, std::span<const std::size_t> sizes,
                          std::vector<std::span<std::byte>>& places) {
  wire_reader whole(head);
  const auto number = [&] {
    const std::size_t n = whole.count(0);
    if (n > std::numeric_limits<std::uint32_t>::max()) refuse_message("a number is too large");
    return static_cast<std::uint32_t>(n);
  };
  rank_message p;
  p.cut = number();
  p.home = number();
  const std::size_t count = whole.count();
  const std::size_t length = whole.count(0);
  if (length > whole.rest().size()) refuse_message("it is shorter than it says");
  wire_reader from(whole.rest().first(length));
  whole = wire_reader(whole.rest().subspan(length));
  std::vector<const layout*> shapes;
  blocks blocks_left{sizes, places, p.skipped};
  p.items.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t before = from.rest().size(), blocks_before = blocks_left.bytes;
    item one;
    one.flags = from.get<std::uint8_t>();
    one.first = from.count(0);
    one.second = from.count(0);
    if (one.is(item::has_record)) {
      const std::size_t bytes = from.count();
      wire_reader record(from.rest().first(bytes));
      from = wire_reader(from.rest().subspan(bytes));
      const std::size_t which = record.count(0);
      if (which > shapes.size()) refuse_message("it names an unknown shape");
      if (which == shapes.size()) shapes.push_back(&layout_of(record));
      std::string wrong;
      one.record = read_record(std::move(record), *shapes[which], blocks_left, wrong);
      if (!wrong.empty()) p.unreadable.emplace_back(one.first, std::move(wrong));
      one.bytes = before - from.rest().size() + blocks_left.bytes - blocks_before;
    }
    p.items.push_back(one);
  }
  if (!from.rest().empty()) refuse_message("it is longer than its items");
  if (!blocks_left.sizes.empty()) refuse_message("it has blocks that are of no field");
  if (!whole.rest().empty())
    for (std::size_t left = whole.count(); left > 0; --left) p.texts.push_back(whole.get_whole<std::string>());
  if (!whole.rest().empty()) refuse_message("it is longer than its texts");
  return p;
}

}  // namespace weir::detail::remote
