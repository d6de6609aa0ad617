// PTP_PLUGIN(name, version, components...): the plugin's entry, once in each plugin.
//
// Components in other files are declared: class LeNet5; each of these files ends with
// template const ptp_component_info& ptp::component<LeNet5>();
#pragma once

#include <ptp/abi.h>

#include <array>
#include <cstddef>

namespace ptp {

// Declared here too, so that the file with the entry need not include component.hpp, which defines
// it.
template <class T>
const ptp_component_info& component();  // NOLINT(readability-redundant-declaration)

namespace detail {

#ifdef PTP_LIBTORCH_FINGERPRINT
inline constexpr const char* kLibtorch = PTP_LIBTORCH_FINGERPRINT;
#else
inline constexpr const char* kLibtorch = nullptr;
#endif

#if defined(_GLIBCXX_USE_CXX11_ABI) && _GLIBCXX_USE_CXX11_ABI
inline constexpr const char* kStandardLibrary = "libstdc++ cxx11";
#elif defined(_GLIBCXX_USE_CXX11_ABI)
inline constexpr const char* kStandardLibrary = "libstdc++ pre-cxx11";
#else
inline constexpr const char* kStandardLibrary = "libc++";
#endif

#if defined(__SANITIZE_ADDRESS__)
inline constexpr const char* kSanitizer = "address";
#elif defined(__SANITIZE_THREAD__)
inline constexpr const char* kSanitizer = "thread";
#else
inline constexpr const char* kSanitizer = "none";
#endif

#ifdef __clang__
inline constexpr const char* kCompiler = "clang++ " __clang_version__;
#else
inline constexpr const char* kCompiler = "g++ " __VERSION__;
#endif

// The LICENSE, AUTHOR and HOMEPAGE arguments of ptp_add_plugin().
#ifdef PTP_PLUGIN_LICENSE
inline constexpr const char* kLicense = PTP_PLUGIN_LICENSE;
#else
inline constexpr const char* kLicense = nullptr;
#endif
#ifdef PTP_PLUGIN_AUTHOR
inline constexpr const char* kAuthor = PTP_PLUGIN_AUTHOR;
#else
inline constexpr const char* kAuthor = nullptr;
#endif
#ifdef PTP_PLUGIN_HOMEPAGE
inline constexpr const char* kHomepage = PTP_PLUGIN_HOMEPAGE;
#else
inline constexpr const char* kHomepage = nullptr;
#endif

inline constexpr ptp_build kBuild{.struct_size = sizeof(ptp_build),
                                  .libtorch = kLibtorch,
                                  .standard_library = kStandardLibrary,
                                  .sanitizer = kSanitizer,
                                  .compiler = kCompiler};

template <class... Components>
const ptp_plugin_info* plugin_info(const char* name, const char* version) {
    static const std::array<const ptp_component_info*, sizeof...(Components)> components{
        &component<Components>()...};
    static const ptp_plugin_info info{.abi_major = PTP_ABI_MAJOR,
                                      .abi_minor = PTP_ABI_MINOR,
                                      .struct_size = sizeof(ptp_plugin_info),
                                      .component_count = sizeof...(Components),
                                      .name = name,
                                      .version = version,
                                      .build = &kBuild,
                                      .components = components.data(),
                                      .license = kLicense,
                                      .author = kAuthor,
                                      .homepage = kHomepage};
    return &info;
}

}  // namespace detail

}  // namespace ptp

#define PTP_PLUGIN(plugin_name, plugin_version, ...)                               \
    const ptp_plugin_info* ptp_plugin_entry(void) {                                \
        return ptp::detail::plugin_info<__VA_ARGS__>(plugin_name, plugin_version); \
    }                                                                              \
    static_assert(true, "so that a semicolon follows")
