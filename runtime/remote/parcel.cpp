#include "runtime/remote/parcel.hpp"

#include <algorithm>
#include <ostream>
#include <stdexcept>

#include "runtime/record/thrown.hpp"

namespace weir::detail::remote {

namespace {

constexpr std::uint16_t by_name = 0xffff;  // a label that the network does not name: a binding tag

void put_label(wire_writer& to, const cut_plan& plan, const label_info* l) {
  const int number = plan.number_of(l);
  to.put(number < 0 ? by_name : static_cast<std::uint16_t>(number));
  if (number >= 0) return;
  to.put(l->kind);
  to.put_whole(l->name);
}

}  // namespace

std::ostream& operator<<(std::ostream& to, const kept_handle&) { return to << "others"; }

const field<kept_handle>& kept_label() {
  static const field<kept_handle> label("kept at home");
  return label;
}

parcel::~parcel() {
  for (const item& i : items)
    if (i.record) drop_body(i.record);
}

// Holds the values that blobs are parts of.
struct parcel_writer::keeper {
  std::vector<std::pair<slot_word, const value_type*>> values;
  ~keeper() {
    for (const auto& [word, type] : values) let_go(word, *type);
  }
};

void parcel_writer::add(std::uint64_t first, std::uint64_t second, std::uint8_t flags) {
  to_.put(flags);
  to_.count(first);
  to_.count(second);
  ++items_;
}

std::size_t parcel_writer::add(std::uint64_t first, std::uint64_t second, std::uint8_t flags, const record_body& r,
                               const packing& how) {
  std::vector<std::byte>& head = to_.head();
  auto& blocks = to_.blocks();
  const std::size_t head_before = head.size(), blocks_before = blocks.size();
  const std::size_t shapes_before = shapes_.size(), kept_before = keeps_ ? keeps_->values.size() : 0;
  try {
    to_.put(static_cast<std::uint8_t>(flags | item::has_record));
    to_.count(first);
    to_.count(second);
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
        to_.put(word);
        continue;
      }
      const std::size_t whole = blocks.size();
      l.type->codec->write(to_, word);
      if (blocks.size() == whole) continue;
      if (!keeps_) keeps_ = std::make_shared<keeper>();
      keeps_->values.emplace_back(word, l.type);
      hold(word);
    }
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

message parcel_writer::finish() && {
  wire_writer front;
  front.put(cut_);
  front.put(home_);
  front.put(items_);
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

packing packer::pack(const cut* of, const shape& s) const {
  packing p;
  std::vector<const label_info*> stay;
  for (int i = 0; i < s.size(); ++i) {
    const label_info& l = s[i];
    if (of && l.kind != label_kind::binding_tag && !of->reads.contains(l.key)) {
      stay.push_back(&l);
    } else if (!of && l.type == &value_type_of<kept_handle>) {
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
  std::vector<const label_info*> labels(from.count(sizeof(std::uint16_t)));
  for (const label_info*& l : labels) {
    const auto number = from.get<std::uint16_t>();
    if (number != by_name) {
      if (number >= plan_.labels().size()) throw std::runtime_error("weir: another rank names an unknown label");
      l = plan_.labels()[number];
    } else {
      const auto kind = from.get<label_kind>();
      l = intern(from.get_whole<std::string>().c_str(), {kind, nullptr});
    }
  }
  const std::size_t size = before.size() - from.rest().size();
  std::string key(reinterpret_cast<const char*>(before.data()), size);
  const auto [at, fresh] = layouts_.try_emplace(std::move(key));
  if (fresh) {
    at->second.of = shape::of(labels);
    for (const label_info* l : labels) at->second.slots.emplace_back(l, at->second.of->find(l->key));
  }
  return at->second;
}

parcel packer::read(std::span<const std::byte> head, std::span<const std::size_t> sizes,
                    std::vector<std::span<std::byte>>& places) {
  wire_reader from(head, sizes);
  parcel p;
  p.cut = from.get<std::uint32_t>();
  p.home = from.get<std::uint32_t>();
  const auto count = from.get<std::uint32_t>();
  std::vector<const layout*> shapes;
  const auto bytes_so_far = [&] {
    std::size_t bytes = head.size() - from.rest().size();
    for (const auto& place : from.places()) bytes += place.size();
    return bytes;
  };
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t before = bytes_so_far();
    item one;
    one.flags = from.get<std::uint8_t>();
    one.first = from.count(0);
    one.second = from.count(0);
    if (one.is(item::has_record)) {
      const std::size_t which = from.count(0);
      if (which > shapes.size()) throw std::runtime_error("weir: another rank names an unknown shape");
      if (which == shapes.size()) shapes.push_back(&layout_of(from));
      const layout& l = *shapes[which];
      owned_body body(make_body(l.of));
      std::size_t made = 0;
      try {
        for (; made < l.slots.size(); ++made) {
          const auto [label, slot] = l.slots[made];
          body->slots()[slot] = label->type ? label->type->codec->read(from) : from.get<slot_word>();
        }
      } catch (...) {
        const label_info* const field = l.slots[made].first;
        while (made-- > 0)
          if (const auto [label, slot] = l.slots[made]; label->type && !label->type->inlined)
            let_go(body->slots()[slot], *label->type);
        free_body(body.release());
        if (p.cut >= plan_.cuts().size()) throw;
        throw unreadable_field(plan_.cuts()[p.cut], thrown_by("the codec of field '" + field->name + "'"));
      }
      one.record = body.release();
      one.bytes = bytes_so_far() - before;
    }
    p.items.push_back(one);
  }
  if (!from.rest().empty())
    for (std::size_t left = from.count(0); left > 0; --left) p.texts.push_back(from.get_whole<std::string>());
  places = std::move(from.places());
  return p;
}

}  // namespace weir::detail::remote
