// Compares how a plugin and this host were built.

#include "plugin/fingerprint.hpp"

#include <fmt/format.h>

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

std::optional<Explanation> refuse_abi(std::uint32_t major, std::uint32_t minor) {
    const auto refusal = [&](const char* fix) {
        return Explanation{fmt::format("built for ABI {}.{}, this host has {}.{}", major, minor,
                                       PTP_ABI_MAJOR, PTP_ABI_MINOR),
                           fix};
    };
    if (major != PTP_ABI_MAJOR) {
        return refusal("rebuild the plugin with this host's SDK");
    }
    if (minor > PTP_ABI_MINOR) {
        return refusal("use a newer host, or rebuild the plugin with this host's SDK");
    }
    return std::nullopt;
}

std::optional<Explanation> refuse_build(const Build& plugin, const Build& host) {
    if (plugin.sanitizer != "none" && plugin.sanitizer != host.sanitizer) {
        return Explanation{fmt::format("built with sanitizer {}, this host with {}",
                                       plugin.sanitizer, host.sanitizer),
                           "build both with the same"};
    }
    if (plugin.libtorch.empty()) {
        return std::nullopt;
    }
    if (plugin.libtorch != host.libtorch) {
        return Explanation{
            fmt::format("built for libtorch {}, this host has {}", plugin.libtorch, host.libtorch),
            "rebuild the plugin against this host's libtorch"};
    }
    if (plugin.standard_library != host.standard_library) {
        return Explanation{fmt::format("built for standard library {}, this host has {}",
                                       plugin.standard_library, host.standard_library),
                           "rebuild the plugin with this host's compiler settings"};
    }
    return std::nullopt;
}

}  // namespace ptp::plugin
