// The parts of this folder that differ between systems, for Linux: folders to search, the state of
// a file, the files of libraries, and how they are opened.

#include "base/explanation.hpp"
#include "base/file_error.hpp"
#include "plugin/library_file.hpp"
#include "plugin/open.hpp"
#include "plugin/search_path.hpp"
#include "plugin/settling.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace ptp::plugin {

namespace {

namespace dll = boost::dll;
namespace fs = std::filesystem;

// Boost.DLL passes the mode on to dlopen() as it is. RTLD_NODELETE makes its unloading do nothing:
// objects and tensors that a plugin made may still point into it.
constexpr auto kMode = static_cast<dll::load_mode::type>(
    static_cast<unsigned>(dll::load_mode::rtld_now) |
    static_cast<unsigned>(dll::load_mode::rtld_local) | RTLD_NODELETE);

bool is_for_lack(int reason) {
    return reason == EMFILE || reason == ENFILE || reason == ENOMEM;
}

constexpr std::string_view kNotFound = "cannot open shared object file: No such file or directory";

// Opens the library, or returns the system's message without the path, which the caller's message
// has, and sets `number` to that of the error.
std::string try_to_open(dll::shared_library& library, const fs::path& path, int& number) {
    dll::fs::error_code error;
    errno = 0;
    library.load(path.native(), error, kMode);
    number = errno;
    if (library.is_loaded()) {
        return "";
    }
    const char* const reason = ::dlerror();
    const std::string text = reason != nullptr ? reason : error.message();
    const std::string prefix = path.native() + ": ";
    return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

// Opens what the library needs where this ptp finds its own libraries, which is what a wheel of it
// has: a copy of a plugin lies in another folder than its run path is for. Returns whether there
// was any.
bool open_needed_as_own(const fs::path& path) {
    bool has_opened = false;
    for (const std::string& name : read_library(path).needed) {
        has_opened |= loaded_library(name).empty() && system_has_library(name);
    }
    return has_opened;
}

}  // namespace

char path_list_separator() {
    return ':';
}

fs::path user_folder() {
    return user_folder(environment_text("XDG_DATA_HOME"), environment_text("HOME"));
}

fs::path system_folder(const fs::path& executable) {
    return executable.parent_path() == "/usr/bin" ? fs::path("/usr/local") / kBelowPrefix
                                                  : installation_folder(executable);
}

fs::path executable_path() {
    std::error_code error;
    return fs::read_symlink("/proc/self/exe", error);
}

FileState state_of(const std::filesystem::path& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        return {};
    }
    constexpr std::int64_t kNanoseconds = 1'000'000'000;
    return {.exists = true,
            .device = status.st_dev,
            .inode = status.st_ino,
            .size = static_cast<std::uint64_t>(status.st_size),
            .changed_ns = status.st_ctim.tv_sec * kNanoseconds + status.st_ctim.tv_nsec};
}

LibraryFile read_library(const std::filesystem::path& path) {
    return read_elf(path);
}

std::string_view library_suffix() {
    return ".so";
}

// Places the note. "R" keeps the section when unused sections are collected.
NoteSection note_section() {
    return {.begin = "    .section .note.ptp, \"aR\", %note\n",
            .end = "    .section .note.GNU-stack, \"\", %progbits\n"};
}

dll::shared_library open_library(const std::filesystem::path& path) {
    dll::shared_library library;
    int number = 0;
    std::string reason = try_to_open(library, path, number);
    if (reason.ends_with(kNotFound) && open_needed_as_own(path)) {
        reason = try_to_open(library, path, number);
    }
    if (!library.is_loaded()) {
        const std::string text = "cannot be opened: " + reason;
        if (is_for_lack(number)) {
            throw ResourceError(text);
        }
        if (text.ends_with(kNotFound)) {
            throw WithFix<OpenError>(
                {text,
                 "install what has this library, link it statically, or put it beside the "
                 "plugin, with the run path $ORIGIN"});
        }
        throw OpenError(text);
    }
    return library;
}

std::filesystem::path loaded_library(const std::string& name) {
    void* const library = ::dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    link_map* facts = nullptr;
    if (library == nullptr || ::dlinfo(library, RTLD_DI_LINKMAP, &facts) != 0) {
        return {};
    }
    std::filesystem::path file = facts->l_name;
    ::dlclose(library);
    return file;
}

bool system_has_library(const std::string& name) {
    return ::dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL) != nullptr;
}

}  // namespace ptp::plugin
