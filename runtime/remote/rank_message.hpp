#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <weir/record/errors.hpp>
#include <weir/record/record.hpp>
#include <weir/record/wire.hpp>
#include <weir/threads/primitives.hpp>
#include "runtime/record/per_shape.hpp"
#include "runtime/remote/cut_plan.hpp"
#include "runtime/remote/transport.hpp"

namespace weir::detail::remote {

// Is told when nothing at the far side of a call inherits the labels any more that stayed at home.
class release_listener {
 public:
  virtual void released(std::uint64_t call) noexcept = 0;

 protected:
  ~release_listener() = default;
};

// At the far side of a call it represents the labels that stayed at home. The record there has a hidden field of this
// type, which travels along as any label does. So records that would inherit the labels there inherit them at home.
class kept_handle {
 public:
  // listener: null for a call whose labels stay until it is over.
  kept_handle(std::shared_ptr<release_listener> listener, std::uint64_t call)
      : listener_(std::move(listener)), call_(call) {}
  kept_handle(kept_handle&&) = default;
  kept_handle& operator=(kept_handle&&) = delete;
  ~kept_handle() {
    if (listener_) listener_->released(call_);
  }
  std::uint64_t call() const { return call_; }
  bool tells() const { return listener_ != nullptr; }
  void disarm() { listener_ = nullptr; }

 private:
  std::shared_ptr<release_listener> listener_;
  std::uint64_t call_;
};
std::ostream& operator<<(std::ostream& to, const kept_handle&);  // where a record at the far side is shown
const field<kept_handle>& kept_label();                          // of that field

// The way of a record of one shape over a cut: which labels travel, and which stay.
struct packing {
  std::vector<int> travels;                // slots, in the order in which they are written
  std::vector<std::byte> labels;           // as they are written
  const shape* stays = nullptr;            // of the labels that stay
  std::vector<std::pair<int, int>> moves;  // slots of these: in the record, in `stays`
  const label_info* refused = nullptr;     // a label that would travel and cannot
  int kept = -1;                           // the slot of the hidden field, which never travels

  std::string why_refused(int rank) const;  // a cause of failure. REQUIRES: refused
};

// A list of numbers, some with a record: what ranks tell each other of one cut.
struct item {
  enum flag : std::uint8_t { has_record = 1, done = 2, released = 4, keeps = 8, more = 16, total = 32 };
  std::uint64_t first = 0, second = 0;
  std::uint8_t flags = 0;
  record_body* record = nullptr;  // null with has_record: a field could not be read, see rank_message::unreadable
  std::size_t bytes = 0;          // that it took on the wire
  bool is(flag f) const { return flags & f; }
};

// A list of items that came, with their records, and texts. Owns the records that are left in it.
struct rank_message {
  std::uint32_t cut = 0, home = 0;  // the number of the cut, and of its home on the rank of that
  std::vector<item> items;
  std::vector<std::string> texts;
  std::vector<std::pair<std::uint64_t, std::string>> unreadable;  // what the codecs said, by the item's `first`
  std::vector<std::unique_ptr<std::byte[]>> skipped;              // where the blocks of these records go
  const std::string& why_unreadable(const item& i) const;
  rank_message() = default;
  rank_message(rank_message&&) = default;
  rank_message& operator=(rank_message&&) = default;
  ~rank_message();
};

// The kind of a failure of which another rank told. Throws std::runtime_error when there is none of this number.
failure_kind kind_of(std::uint64_t number);

// Throws std::runtime_error: another rank sent a message with a number that does not exist here.
[[noreturn]] void refuse_index(const char* what, std::uint64_t number);

inline constexpr std::uint64_t opened_there = std::uint64_t{1} << 63;  // in the number of a position

// A *subcall* of a call on a route: a record that went on to the next rank, with all that it causes there. Its number
// holds the number of the call and how often the call was divided before.
inline constexpr int level_bits = 57;
inline int level_of(std::uint64_t subcall) { return static_cast<int>(subcall >> level_bits); }
inline std::uint64_t call_of(std::uint64_t subcall) { return subcall & ((std::uint64_t{1} << level_bits) - 1); }
inline std::uint64_t divided(std::uint64_t subcall) { return subcall + (std::uint64_t{1} << level_bits); }

inline constexpr std::uint32_t with_blobs = 0x80000000;  // in a message's kind

// A codec threw while it wrote: which field's, of which type, and its words.
struct codec_fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Writes one message about one cut. One thread at a time.
//
// On the wire a message, each of its records and each of its fields begins with its length. Numbers have a byte for
// seven of their bits; tags, too, of either sign.
class rank_message_writer {
 public:
  rank_message_writer(std::uint32_t kind, std::uint32_t cut, std::uint32_t home)
      : kind_(kind), cut_(cut), home_(home) {}

  // Adds an item without a record.
  void add(std::uint64_t first, std::uint64_t second, std::uint8_t flags = 0);
  // Adds one with the labels of the record that travel, and returns the bytes that it takes. Throws codec_fault
  // or std::bad_alloc, and has added nothing then. The values are kept until the message was sent; the record may go
  // before.
  std::size_t add(std::uint64_t first, std::uint64_t second, std::uint8_t flags, const record_body& r,
                  const packing& how);
  void add(const std::string& text) { texts_.push_back(text); }

  std::uint32_t items() const { return items_; }
  message finish() &&;

 private:
  struct keeper;
  const std::uint32_t kind_, cut_, home_;
  std::uint32_t items_ = 0;
  std::vector<const packing*> shapes_;
  wire_writer to_;
  std::shared_ptr<keeper> keeps_;
  std::vector<std::string> texts_;
};

// Makes packings and reads messages, for one rank. Thread-safe, except that read() is called by one thread at a time.
class packer {
 public:
  explicit packer(const cut_plan& plan);

  // For a call, only labels that the far side asks for travel, and binding tags; for a result, all.
  packing pack_call(const cut& c, const shape& s) const { return pack(&c, s); }
  packing pack_result(const shape& s) const { return pack(nullptr, s); }

  // Whether all types that it met so far are the library's: then no function of the program's is called where a message
  // is read, and where its records end. Any thread may ask.
  bool has_only_library_types() const { return has_only_library_types_.load(std::memory_order_relaxed); }

  // Reads a message, whose blobs have these sizes. `places`: where they go; they may arrive afterwards. A record with a
  // field whose codec throws, or reads another number of bytes than it wrote, is left out, and all others are read.
  // Throws std::runtime_error when it is no message: no index and no size of it is believed.
  rank_message read(std::span<const std::byte> head, std::span<const std::size_t> sizes,
                    std::vector<std::span<std::byte>>& places);

 private:
  struct layout {
    const shape* of = nullptr;
    std::vector<std::pair<const label_info*, int>> slots;  // in the order in which they were written
  };
  packing pack(const cut* of, const shape& s) const;
  const layout& layout_of(wire_reader& from);
  void meet(const label_info& l) const;
  struct blocks;
  static record_body* read_record(wire_reader from, const layout& of, blocks& blocks_left, std::string& wrong);

  const cut_plan& plan_;
  std::unordered_map<std::string, layout> layouts_;
  mutable threads::atomic<bool> has_only_library_types_{true};  // relaxed: set before the types are sent
};

}  // namespace weir::detail::remote
