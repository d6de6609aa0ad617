// Which plugins this host can take: the ABI's version, and what host and plugin were built with.
#pragma once

#include "plugin/manifest.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace ptp::plugin {

// How this host was built.
Build host_build();

// Why a plugin of this ABI version cannot be taken, as a sentence that states how to fix it;
// nullopt if it can.
std::optional<std::string> refuse_abi(std::uint32_t major, std::uint32_t minor);

// The same for how it was built. Libtorch and the standard library matter only to a plugin that
// links libtorch, because only then C++ objects cross; a sanitizer must be in the whole process or
// nowhere.
std::optional<std::string> refuse_build(const Build& plugin, const Build& host);

}  // namespace ptp::plugin
