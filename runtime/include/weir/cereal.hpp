// <weir/cereal.hpp>: values of types that cereal can write go to another process by it. A program that includes it has
// cereal; weir itself does not need it.
//
//   #include <cereal/types/string.hpp>  // what the type's own serialize() needs
//   #include <weir/cereal.hpp>
//   template <>
//   struct weir::codec<person> : weir::cereal_codec<person> {};
#pragma once

#include <weir/weir.hpp>

#include <weir/macros_off.hpp>

#include <cereal/archives/binary.hpp>
#include <cstddef>
#include <istream>
#include <ostream>
#include <streambuf>

namespace [[gnu::visibility("default")]] weir {

namespace detail {

// Writes into the head of a value on its way.
class cereal_sink final : public std::streambuf {
 public:
  explicit cereal_sink(wire_writer& to) : to_(to) {}

 private:
  std::streamsize xsputn(const char* data, std::streamsize size) override {
    to_.bytes(data, static_cast<std::size_t>(size));
    return size;
  }
  int overflow(int c) override {
    const char one = traits_type::to_char_type(c);
    to_.bytes(&one, 1);
    return c;
  }
  wire_writer& to_;
};

// Reads from it, and no further than the value needs.
class cereal_source final : public std::streambuf {
 public:
  explicit cereal_source(wire_reader& from) : from_(from) {}

 private:
  std::streamsize xsgetn(char* to, std::streamsize size) override {
    from_.bytes(to, static_cast<std::size_t>(size));
    return size;
  }
  int underflow() override { return traits_type::eof(); }
  wire_reader& from_;
};

}  // namespace detail

// The codec of a type by cereal's binary archive. T must have a constructor without arguments. Large parts are copied
// once on each side, other than those of weir's own codecs.
template <class T>
struct cereal_codec {
  // Writes a value. Throws what the type's serialisation throws.
  static void write(wire_writer& to, const T& value) {
    detail::cereal_sink sink(to);
    std::ostream stream(&sink);
    cereal::BinaryOutputArchive archive(stream);
    archive(value);
  }
  // Reads what write() wrote. Throws likewise, and where there is too little.
  static T read(wire_reader& from) {
    detail::cereal_source source(from);
    std::istream stream(&source);
    stream.exceptions(std::ios::badbit);  // what the reader throws goes on
    cereal::BinaryInputArchive archive(stream);
    T made;
    archive(made);
    return made;
  }
};

}  // namespace weir

#include <weir/macros_back.hpp>
