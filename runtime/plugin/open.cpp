#include "plugin/open.hpp"

#include "plugin/elf.hpp"
#include "plugin/fingerprint.hpp"
#include "plugin/float_environment.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <boost/dll/shared_library.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <system_error>

namespace ptp::plugin {

namespace {

namespace dll = boost::dll;

// Boost.DLL passes the mode on to dlopen() as it is. RTLD_NODELETE makes its unloading do nothing:
// objects and tensors that a plugin made may still point into it.
constexpr auto kMode = static_cast<dll::load_mode::type>(
    static_cast<unsigned>(dll::load_mode::rtld_now) |
    static_cast<unsigned>(dll::load_mode::rtld_local) | RTLD_NODELETE);

// The loader reports the system's reason only as text.
bool is_for_lack(const std::string& reason) {
    return std::ranges::any_of(std::array{EMFILE, ENFILE, ENOMEM}, [&](int code) {
        return reason.ends_with(std::generic_category().message(code));
    });
}

dll::shared_library open_library(const std::filesystem::path& path) {
    dll::fs::error_code error;
    dll::shared_library library(path.native(), error, kMode);
    if (!library.is_loaded()) {
        const char* const reason = ::dlerror();
        std::string text = reason != nullptr ? reason : error.message();
        // The system's message begins with the path, which the caller's message has already.
        const std::string prefix = path.native() + ": ";
        if (text.starts_with(prefix)) {
            text.erase(0, prefix.size());
        }
        text.insert(0, "cannot be opened: ");
        if (is_for_lack(text)) {
            throw ResourceError(text);
        }
        throw OpenError(text);
    }
    return library;
}

const ptp_plugin_info& describe(const dll::shared_library& library) {
    if (!library.has(PTP_ENTRY_SYMBOL)) {
        throw WithFix<OpenError>({kNoEntry, kNoEntryFix});
    }
    const ptp_plugin_info* const info = library.get<const ptp_plugin_info*()>(PTP_ENTRY_SYMBOL)();
    if (info == nullptr) {
        throw OpenError("its entry returns no description");
    }
    if (const auto refusal = refuse_abi(info->abi_major, info->abi_minor)) {
        throw WithFix<OpenError>(*refusal);
    }
    return *info;
}

}  // namespace

const ptp_plugin_info& open_plugin(const std::filesystem::path& path) {
    const FloatEnvironment before;
    const dll::shared_library library = open_library(path);
    const ptp_plugin_info& info = describe(library);
    if (const std::string change = before.change(); !change.empty()) {
        throw WithFix<OpenError>(
            {fmt::format("changes the host's arithmetic by being loaded ({}): it was probably "
                         "linked with -ffast-math",
                         change),
             "link it without"});
    }
    return info;
}

}  // namespace ptp::plugin
