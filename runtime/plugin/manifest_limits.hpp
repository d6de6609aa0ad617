// Limits for a plugin's declarations, far beyond the needs of any plugin; they bound the time and
// memory for reading a damaged or malicious one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ptp::plugin {

inline constexpr std::size_t kMaxManifestBytes = std::size_t{4} << 20U;  // as JSON
inline constexpr std::size_t kMaxManifestDepth = 32;                     // as JSON
inline constexpr std::uint32_t kMaxListItems = 1'000;                    // of one list
inline constexpr std::uint32_t kMaxAllItems = 100'000;                   // of all lists together
inline constexpr int kMaxTableDepth = 8;                                 // tables of settings
inline constexpr std::size_t kMaxNameBytes = 256;
inline constexpr std::size_t kMaxTextBytes = 65'536;
inline constexpr std::size_t kMaxProblems = 100;  // that are listed

}  // namespace ptp::plugin
