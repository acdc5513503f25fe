#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>

#include "tests/runtime/language/realised.hpp"
#include "tests/runtime/language/realised_parts.hpp"

namespace weir::testing::language {

network realiser::box_of(const plain_box& b) {
  using integer = std::int64_t;
  auto& known = boxes_[b.name];
  if (known) return *known;
  const integer salt = b.salt;
  const auto& l = b.labels;
  const auto t = [&](std::size_t i) { return tag_of(l[i]); };
  const auto number = [&](std::size_t i) { return number_of(l[i]); };
  const auto text = [&](std::size_t i) { return text_of(l[i]); };
  const auto about = [&](const auto& box) -> network { return b.width ? box.width(b.width) : box; };
  const auto made = [&]() -> network {
    switch (b.kind) {
      case box_kind::constant:
        return about(box(b.name, takes(), gives(t(0)), [salt] { return take_time(), salt; }));
      case box_kind::computing:
        return about(box(b.name, takes(t(0)), gives(t(1)), [salt](integer v) { return take_time(), mixed(v, salt); }));
      case box_kind::mixing:
        return about(box(b.name, takes(number(0), t(1)), gives(number(2), t(3)), [salt](int v, integer w) {
          take_time();
          return std::pair<int, integer>(static_cast<int>(mixed(v, w)), mixed(w, salt));
        }));
      case box_kind::copying:
        return about(box(b.name, takes(t(0)), gives(t(1)), [salt, out = t(1)](integer v, emitter& emit) {
          for (integer i = 0; i < phase(v, salt, 4); ++i) {
            take_time();
            emit(out = added(v, i));
          }
        }));
      case box_kind::deciding:
        return about(box(b.name, takes(t(0)), gives(t(0), number(1)) | gives(t(0), t(2)),
                         [salt, in = t(0), i = number(1), other = t(2)](integer v, emitter& emit) {
                           if (phase(v, salt, 3) != 1) emit(in = v, i = static_cast<int>(mixed(v, salt)));
                           take_time();
                           if (phase(v, salt, 3) != 0) emit(other = mixed(v, 7), in = v / 2);
                         }));
      case box_kind::texting:
        return about(box(b.name, takes(text(0)), gives(text(1), t(2)), [salt](const std::string& v) {
          take_time();
          return std::pair<std::string, integer>(shortened(v, salt), length(v));
        }));
      case box_kind::moving:
        return about(box(b.name, takes(text(0)), gives(text(0)), [salt](std::string&& v) {
          take_time();
          const std::string mine = std::move(v);
          return shortened(mine, salt);
        }));
      case box_kind::dropping:
        return about(box(b.name, takes(number(0)), gives(number(0)), [salt](int v) {
          take_time();
          return phase(v, salt, 3) ? std::optional<int>(static_cast<int>(mixed(v, salt))) : std::nullopt;
        }));
      case box_kind::picky:
        return about(box(b.name, takes(t(0)), gives(t(0)), [salt](integer v) {
          take_time();
          if (phase(v, salt, 5) == 0) throw std::runtime_error("picky");
          return mixed(v, salt);
        }));
      case box_kind::half_way:
        return about(box(b.name, takes(t(0)), gives(t(0)), [salt, out = t(0)](integer v, emitter& emit) {
          emit(out = mixed(v, salt));
          take_time();
          if (phase(v, salt, 5) == 0) throw std::runtime_error("half way");
        }));
      case box_kind::straying:
        return about(box(b.name, takes(t(0)), gives(t(0)), [salt, out = t(0)](integer v, emitter& emit) {
          if (phase(v, salt, 2)) emit(out = mixed(v, salt));
          take_time();
          static constexpr tag astray{"astray"};
          if (phase(v, salt, 5) == 0) emit(out = v, astray = v);
        }));
      case box_kind::marking:
        return about(box(b.name, takes(t(0)), gives(t(0), binding_of(l[1])) | gives(t(0)),
                         [salt, in = t(0), mark = binding_of(l[1])](integer v, emitter& emit) {
                           take_time();
                           if (phase(v, salt, 2))
                             emit(in = v, mark = salt);
                           else
                             emit(in = added(v, 1));
                         }));
      case box_kind::unmarking:
        return about(box(b.name, takes(t(0), binding_of(l[1])), gives(t(0), t(2)), [](integer v, integer mark) {
          take_time();
          return std::pair<integer, integer>(v, mark);
        }));
      case box_kind::stepping:
        return about(box(b.name, takes(t(0), t(1)), gives(t(0)) | gives(t(2)),
                         [state = t(0), out = t(2)](integer v, integer w, emitter& emit) {
                           emit(state = mixed(v, w));
                           take_time();
                           emit(out = mixed(w, v));
                         }));
      case box_kind::sinking:
        return about(box(b.name, takes(t(0)), gives_none, [](integer) { take_time(); }));
    }
    throw std::logic_error("an unknown kind of box");
  };
  known = change_ ? change_(made()) : made();
  return *known;
}

}  // namespace weir::testing::language
