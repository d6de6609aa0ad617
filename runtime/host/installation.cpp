#include "host/installation.hpp"

#include "engine/request.hpp"
#include "plugin/search_path.hpp"

#include <dlfcn.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <system_error>

namespace ptp::host {

namespace fs = std::filesystem;

namespace {

// Returns the folder of the library with this code; nullopt if it is in a program.
std::optional<fs::path> library_folder() {
    static const int here = 0;
    Dl_info info{};
    if (dladdr(&here, &info) == 0 || info.dli_fname == nullptr) {
        return std::nullopt;
    }
    std::error_code error;
    const fs::path file = fs::canonical(info.dli_fname, error);
    if (error || file.filename().string().find(".so") == std::string::npos) {
        return std::nullopt;
    }
    return file.parent_path();
}

fs::path first_existing(const fs::path& folder, std::initializer_list<const char*> relatives) {
    fs::path file;
    for (const char* relative : relatives) {
        file = folder / relative / engine::kLibraryName;
        if (fs::exists(file)) {
            return file;
        }
    }
    return file;
}

}  // namespace

fs::path program_path() {
    const auto library = library_folder();
    if (!library) {
        return plugin::executable_path();
    }
    // lib, or its folder for the architecture on Debian.
    for (const fs::path& lib : {*library, library->parent_path()}) {
        std::error_code ignored;
        if (fs::is_directory(lib / "ptp", ignored)) {
            return lib.parent_path() / "bin/ptprun";
        }
    }
    return library->parent_path() / "bin/ptprun";
}

fs::path engine_path() {
    if (const auto library = library_folder()) {
        return *library / engine::kLibraryName;
    }
    return first_existing(plugin::executable_path().parent_path(), {"../lib", PTP_LIBRARY_FOLDER});
}

}  // namespace ptp::host
