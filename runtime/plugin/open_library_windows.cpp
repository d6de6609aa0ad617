#include "plugin/open_library.hpp"

#include "base/file_error.hpp"
#include "base/windows_api.hpp"
#include "plugin/open.hpp"

namespace ptp::plugin {

namespace {

namespace dll = boost::dll;

bool is_lack_of_memory(const std::error_code& error) {
    return error == std::errc::too_many_files_open || error == std::errc::not_enough_memory;
}

// What FreeLibrary() does later has no effect: objects that a plugin made may still point into it.
void keep_loaded(const dll::shared_library& library) {
    HMODULE same = nullptr;
    const auto address = reinterpret_cast<LPCWSTR>(static_cast<const void*>(library.native()));
    const DWORD flags = GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS;
    if (::GetModuleHandleExW(flags, address, &same) == 0) {
        throw OpenError("cannot be kept loaded: " +
                        std::system_category().message(static_cast<int>(::GetLastError())));
    }
}

}  // namespace

dll::shared_library open_library(const std::filesystem::path& path) {
    std::error_code error;
    dll::shared_library library(std::filesystem::path(path).make_preferred(), error);
    if (!library.is_loaded()) {
        const std::string text = "cannot be opened: " + error.message();
        if (is_lack_of_memory(error)) {
            throw ResourceError(text);
        }
        throw OpenError(text);
    }
    keep_loaded(library);
    return library;
}

// No library travels with a plugin here, because files have no run path.
std::filesystem::path loaded_library(const std::string&) {
    return {};
}

}  // namespace ptp::plugin
