#include "plugin/fingerprint.hpp"

#include <fmt/format.h>

#include <string>

namespace ptp::plugin {

namespace {

#if !defined(_GLIBCXX_USE_CXX11_ABI)
constexpr const char* kStandardLibrary = "unknown";
#elif _GLIBCXX_USE_CXX11_ABI
constexpr const char* kStandardLibrary = "libstdc++ cxx11";
#else
constexpr const char* kStandardLibrary = "libstdc++ pre-cxx11";
#endif

#if defined(__SANITIZE_ADDRESS__)
constexpr const char* kSanitizer = "address";
#elif defined(__SANITIZE_THREAD__)
constexpr const char* kSanitizer = "thread";
#else
constexpr const char* kSanitizer = "none";
#endif

}  // namespace

Build host_build() {
    return {.libtorch = PTP_LIBTORCH_FINGERPRINT,
            .standard_library = kStandardLibrary,
            .sanitizer = kSanitizer,
            .compiler = "g++ " __VERSION__};
}

std::optional<std::string> refuse_abi(std::uint32_t major, std::uint32_t minor) {
    if (major != PTP_ABI_MAJOR) {
        return fmt::format(
            "built for ABI {}.{}, this host has {}.{}\n    fix: rebuild the plugin with "
            "this host's SDK",
            major, minor, PTP_ABI_MAJOR, PTP_ABI_MINOR);
    }
    if (minor > PTP_ABI_MINOR) {
        return fmt::format(
            "built for ABI {}.{}, this host has {}.{}\n    fix: use a newer host, or "
            "rebuild the plugin with this host's SDK",
            major, minor, PTP_ABI_MAJOR, PTP_ABI_MINOR);
    }
    return std::nullopt;
}

std::optional<std::string> refuse_build(const Build& plugin, const Build& host) {
    if (plugin.sanitizer != "none" && plugin.sanitizer != host.sanitizer) {
        return fmt::format(
            "built with sanitizer {}, this host with {}\n    fix: build both with the same",
            plugin.sanitizer, host.sanitizer);
    }
    if (plugin.libtorch.empty()) {
        return std::nullopt;
    }
    if (plugin.libtorch != host.libtorch) {
        return fmt::format(
            "built for libtorch {}, this host has {}\n    fix: rebuild the plugin against "
            "this host's libtorch",
            plugin.libtorch, host.libtorch);
    }
    if (plugin.standard_library != host.standard_library) {
        return fmt::format(
            "built for standard library {}, this host has {}\n    fix: rebuild the plugin "
            "with this host's compiler settings",
            plugin.standard_library, host.standard_library);
    }
    return std::nullopt;
}

}  // namespace ptp::plugin
