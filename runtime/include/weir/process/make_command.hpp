#pragma once

#include <functional>

#include <weir/network/network.hpp>
#include <weir/process/command_settings.hpp>

namespace [[gnu::visibility("default")]] weir {
namespace detail {

// The network of one command. Throws type_error for settings that contradict each other.
network make_command(command_settings settings);
// The command with settings changed; properties of the box stay.
network with_command(const network& command, const std::function<void(command_settings&)>& change);

}  // namespace detail

}  // namespace weir
