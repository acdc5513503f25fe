#include "runtime/live/host_names.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <stdexcept>

namespace weir::detail {
namespace {

// Its bytes in the network's order: 4, 16, or, if it is no IP address, none.
std::string bytes_of(const std::string& address) {
  std::array<char, 16> bytes{};
  if (inet_pton(AF_INET, address.c_str(), bytes.data()) == 1) return {bytes.data(), 4};
  if (inet_pton(AF_INET6, address.c_str(), bytes.data()) == 1) return {bytes.data(), 16};
  return {};
}

bool is_loopback(const std::string& bytes) {
  return bytes.size() == 4 ? bytes[0] == 127 : bytes == std::string(15, '\0') + '\1';
}

std::string lower(std::string_view text) {
  std::string all(text);
  for (char& c : all) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return all;
}

}  // namespace

host_names::host_names(const std::string& address, int port, const std::vector<std::string>& others) {
  const std::string bytes = bytes_of(address);
  if (bytes.empty())
    throw std::invalid_argument("weir::live_page: address \"" + address + "\" is no IP address, as 127.0.0.1 is");
  const std::string spelt = bytes.size() == 16 ? "[" + address + "]" : address;
  place_ = spelt + ":" + std::to_string(port);
  is_any_address_ = bytes.find_first_not_of('\0') == std::string::npos;
  if (!is_any_address_) names_.push_back(lower(spelt));
  if (is_any_address_ || is_loopback(bytes)) names_.push_back("localhost");
  for (const std::string& host : others) {
    if (host.empty() || (host.front() == '[' ? host.back() != ']' : host.find(':') != std::string::npos))
      throw std::invalid_argument("weir::live_page: host \"" + host +
                                  "\" is no name without a port, as weir.example is");
    names_.push_back(lower(host));
  }
  first_ = names_.front() + ":" + std::to_string(port);
}

bool host_names::includes(std::string_view host) const {
  std::string name = lower(host);
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  if (digits > 0 && name[digits - 1] == ':' && (name.front() != '[' || name[digits - 2] == ']'))
    name.resize(digits - 1);
  if (std::find(names_.begin(), names_.end(), name) != names_.end()) return true;
  if (!is_any_address_) return false;
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  return !bytes_of(name).empty();
}

}  // namespace weir::detail
