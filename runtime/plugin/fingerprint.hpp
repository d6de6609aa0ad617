// Checks which plugins this host can use: by the ABI's version, and by how host and plugin were
// built.
#pragma once

#include "base/explanation.hpp"
#include "plugin/manifest.hpp"

#include <ptp/abi.h>

#include <cstdint>
#include <optional>

namespace ptp::plugin {

// Returns how this host was built.
Build host_build();

// The reason and the fix for a file without PTP_ENTRY_SYMBOL.
inline constexpr const char* kNoEntry = "is not a plugin: it does not export " PTP_ENTRY_SYMBOL;
inline constexpr const char* kNoEntryFix =
    "ptp_add_plugin() builds one from a source with PTP_PLUGIN()";

// Returns why a plugin of this ABI version cannot be used; nullopt if it can.
std::optional<Explanation> refuse_abi(std::uint32_t major, std::uint32_t minor);

// Returns why a plugin that was built in this way cannot be used. Libtorch and the standard library
// matter only to a plugin that links libtorch, because only then C++ objects are passed; a
// sanitizer must be in the whole process or not at all.
std::optional<Explanation> refuse_build(const Build& plugin, const Build& host);

}  // namespace ptp::plugin
