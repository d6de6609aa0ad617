// Opens a plugin's library and asks it for its description; system_posix.cpp and system_windows.cpp
// have the calls of the system.

#include "plugin/open.hpp"

#include "plugin/companions.hpp"
#include "plugin/fingerprint.hpp"
#include "plugin/float_environment.hpp"

#include <fmt/format.h>

namespace ptp::plugin {

namespace {

namespace dll = boost::dll;

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
    open_companions(path);
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
