// The parts of this folder that differ between systems, for Windows: folders to search, the state
// of a file, the files of libraries, and how they are opened.

#include "base/file_error.hpp"
#include "base/windows_api.hpp"
#include "plugin/library_file.hpp"
#include "plugin/open.hpp"
#include "plugin/search_path.hpp"
#include "plugin/settling.hpp"

#include <boost/dll/runtime_symbol_info.hpp>

#include <system_error>

namespace ptp::plugin {

namespace {

namespace dll = boost::dll;
namespace fs = std::filesystem;

std::uint64_t joined_halves(DWORD high, DWORD low) {
    return std::uint64_t{high} << 32U | low;
}

bool is_lack_of_memory(const std::error_code& error) {
    return error == std::errc::too_many_files_open || error == std::errc::not_enough_memory;
}

// Keeps a library in spite of FreeLibrary(): objects that a plugin made may still point into it.
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

FileState state_of(const std::filesystem::path& path) {
    const HANDLE file = ::CreateFileW(path.c_str(), FILE_READ_ATTRIBUTES,
                                      FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                                      nullptr, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
    if (file == INVALID_HANDLE_VALUE) {
        return {};
    }
    BY_HANDLE_FILE_INFORMATION info{};
    const BOOL is_known = ::GetFileInformationByHandle(file, &info);
    ::CloseHandle(file);
    if (is_known == 0) {
        return {};
    }
    constexpr std::int64_t kNanoseconds = 100;  // in a tick
    const auto ticks = static_cast<std::int64_t>(
        joined_halves(info.ftLastWriteTime.dwHighDateTime, info.ftLastWriteTime.dwLowDateTime));
    constexpr std::int64_t kTicksTo1970 = 116'444'736'000'000'000;
    return {.exists = true,
            .device = info.dwVolumeSerialNumber,
            .inode = joined_halves(info.nFileIndexHigh, info.nFileIndexLow),
            .size = joined_halves(info.nFileSizeHigh, info.nFileSizeLow),
            .changed_ns = (ticks - kTicksTo1970) * kNanoseconds};
}

LibraryFile read_library(const std::filesystem::path& path) {
    return read_pe(path);
}

std::string_view library_suffix() {
    return ".dll";
}

// Places the note in read-only data. The section's name is kPeNoteSection.
NoteSection note_section() {
    return {.begin = "    .section .ptpnote, \"dr\"\n", .end = ""};
}

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
