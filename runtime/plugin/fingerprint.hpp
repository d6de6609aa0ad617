// Which plugins this host can take: the ABI's version, and what host and plugin were built with.
#pragma once

#include "base/explanation.hpp"
#include "plugin/manifest.hpp"

#include <ptp/abi.h>

#include <cstdint>
#include <optional>

namespace ptp::plugin {

// How this host was built.
Build host_build();

// Why a file without PTP_ENTRY_SYMBOL cannot be taken, and the fix.
inline constexpr const char* kNoEntry = "is not a plugin: it does not export " PTP_ENTRY_SYMBOL;
inline constexpr const char* kNoEntryFix =
    "ptp_add_plugin() builds one from a source with PTP_PLUGIN()";

// Why a plugin of this ABI version cannot be taken; nullopt if it can.
std::optional<Explanation> refuse_abi(std::uint32_t major, std::uint32_t minor);

// The same for how it was built. Libtorch and the standard library matter only to a plugin that
// links libtorch, because only then C++ objects cross; a sanitizer must be in the whole process or
// nowhere.
std::optional<Explanation> refuse_build(const Build& plugin, const Build& host);

}  // namespace ptp::plugin
