#include "plugin/system_folders.hpp"

#include "plugin/search_path.hpp"

#include <boost/dll/runtime_symbol_info.hpp>

#include <system_error>

namespace ptp::plugin {

namespace fs = std::filesystem;

char path_list_separator() {
    return ';';  // the path of a folder contains a ':'
}

// Returns a folder below the user's folder for programs' data that stays on this machine.
fs::path user_folder() {
    return user_folder(environment_text("LOCALAPPDATA"), {});
}

fs::path system_folder(const fs::path& executable) {
    return installation_folder(executable);
}

fs::path executable_path() {
    std::error_code error;
    return boost::dll::program_location(error);
}

}  // namespace ptp::plugin
