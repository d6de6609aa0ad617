// Calls Windows for files, with the conventions of open(2).

#include "base/system_file.hpp"

#include "base/windows_api.hpp"

#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <string_view>
#include <system_error>

namespace ptp::system {

namespace {

constexpr int kTries = 100;  // attempts to name a new folder

// Returns the errno for a reason of the system.
int errno_of(DWORD reason) {
    const std::error_condition condition =
        std::system_category().default_error_condition(static_cast<int>(reason));
    return condition.category() == std::generic_category() ? condition.value() : EIO;
}

HANDLE handle_of(int descriptor) {
    return reinterpret_cast<HANDLE>(::_get_osfhandle(descriptor));
}

}  // namespace

int open_to_read(const std::filesystem::path& path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
        errno = EISDIR;  // the system's reason is that permission was denied
        return -1;
    }
    return ::_wopen(path.c_str(), _O_RDONLY | _O_BINARY | _O_NOINHERIT);
}

// Ignores the mode: files inherit the permissions of their folder here, and a read-only file could
// not be removed.
int create_new(const std::filesystem::path& path, int /*mode*/) {
    return ::_wopen(path.c_str(), _O_WRONLY | _O_BINARY | _O_NOINHERIT | _O_CREAT | _O_EXCL,
                    _S_IREAD | _S_IWRITE);
}

int open_to_write(const std::filesystem::path& path) {
    const DWORD attributes = ::GetFileAttributesW(path.c_str());
    if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0) {
        errno = ELOOP;
        return -1;
    }
    return ::_wopen(path.c_str(), _O_WRONLY | _O_BINARY | _O_NOINHERIT);
}

int open_to_append(const std::filesystem::path& path) {
    return ::_wopen(path.c_str(), _O_WRONLY | _O_CREAT | _O_APPEND | _O_BINARY | _O_NOINHERIT,
                    _S_IREAD | _S_IWRITE);
}

int open_locked_folder(const std::filesystem::path& folder) {
    return open_locked(folder / ".ptp-lock");  // a folder cannot be locked
}

int open_locked(const std::filesystem::path& path) {
    const int descriptor =
        ::_wopen(path.c_str(), _O_RDWR | _O_CREAT | _O_BINARY | _O_NOINHERIT, _S_IREAD | _S_IWRITE);
    OVERLAPPED place{};
    if (descriptor >= 0 &&
        ::LockFileEx(handle_of(descriptor), LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &place) == 0) {
        const int reason = errno_of(::GetLastError());
        ::_close(descriptor);
        errno = reason;
        return -1;
    }
    return descriptor;
}

std::ptrdiff_t read_at(int descriptor, void* out, std::size_t size, std::uint64_t offset) {
    OVERLAPPED place{};
    place.Offset = static_cast<DWORD>(offset);
    place.OffsetHigh = static_cast<DWORD>(offset >> 32U);
    constexpr std::size_t kMaxPiece = std::size_t{1} << 30U;
    DWORD got = 0;
    const auto wanted = static_cast<DWORD>(std::min(size, kMaxPiece));
    if (::ReadFile(handle_of(descriptor), out, wanted, &got, &place) == 0) {
        const DWORD reason = ::GetLastError();
        if (reason == ERROR_HANDLE_EOF) {
            return 0;
        }
        errno = errno_of(reason);
        return -1;
    }
    return got;
}

// Does nothing: the system has no such limit.
void report_size_limit() {}

void outlive_reader() {}

int flush(int descriptor) {
    return ::_commit(descriptor);
}

int rename_over(const std::filesystem::path& from, const std::filesystem::path& to) {
    std::error_code ignored;
    const bool is_folder = std::filesystem::is_directory(from, ignored);
    const DWORD flags = is_folder ? 0 : MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH;
    if (::MoveFileExW(from.c_str(), to.c_str(), flags) == 0) {
        errno = errno_of(::GetLastError());
        return -1;
    }
    return 0;
}

bool exchange(const std::filesystem::path& /*left*/, const std::filesystem::path& /*right*/) {
    errno = ENOSYS;
    return false;
}

// Assumes permission: writing shows whether it is granted.
bool may_write_into(const std::filesystem::path& /*folder*/) {
    return true;
}

// Does nothing: NTFS keeps a journal of its folders.
int flush_folder(const std::filesystem::path& /*folder*/) {
    return 0;
}

// Creates it in the user's own temporary folder, whose permissions it inherits.
bool make_private_folder(std::string& name) {
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
    constexpr std::size_t kRandomCount = 6;
    std::random_device random;
    for (int i = 0; i < kTries; ++i) {
        std::generate(name.end() - kRandomCount, name.end(),
                      [&] { return kLetters[random() % kLetters.size()]; });
        std::error_code error;
        if (std::filesystem::create_directory(name, error)) {
            return true;
        }
        errno = error ? error.default_error_condition().value() : EEXIST;
        if (error) {
            return false;
        }
    }
    return false;
}

std::size_t columns_of_terminal(int descriptor) {
    CONSOLE_SCREEN_BUFFER_INFO info{};
    if (::GetConsoleScreenBufferInfo(handle_of(descriptor), &info) == 0) {
        return 0;
    }
    return static_cast<std::size_t>(info.srWindow.Right - info.srWindow.Left + 1);
}

}  // namespace ptp::system
