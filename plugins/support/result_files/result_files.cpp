// Opens the folders of a path one inside the other, with openat(), so that no link is followed. A
// whole file is written under another name and then renamed.

#include "result_files.hpp"

#include <ptp/error.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace ptp::support {

Descriptor::~Descriptor() {
    if (number_ >= 0) {
        close(number_);
    }
}

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, int reason) {
    throw SystemError(std::errc(reason), "cannot write ", path);
}

// Repeats a call that a signal has interrupted.
template <class Call>
int retried(Call call) {
    for (;;) {
        const int result = call();
        if (result >= 0 || errno != EINTR) {
            return result;
        }
    }
}

void require_below(const fs::path& folder, const fs::path& name) {
    bool is_below = name.is_relative() && name.has_filename();
    for (const fs::path& part : name) {
        is_below = is_below && part != ".." && part != ".";
    }
    if (!is_below) {
        throw SystemError("cannot write ", folder / name, ": it is not below ", folder);
    }
}

// Throws an error that names links: the system reports a link as a file that is not a folder, or as
// too many links.
[[noreturn]] void fail_at(int parent, const std::string& name, const fs::path& path, int reason) {
    struct stat found {};
    if (fstatat(parent, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(found.st_mode)) {
        throw SystemError("cannot write ", path,
                          ": it is a link, which could lead out of the folder; remove it");
    }
    fail(path, reason);
}

// Opens the folder of the file; missing folders below `folder` are created.
Descriptor folder_of(const fs::path& folder, const fs::path& name) {
    require_below(folder, name);
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
        fail(folder, error.value());
    }
    constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    Descriptor parent(retried([&] { return open(folder.c_str(), kFolder); }));
    fs::path path = folder;
    if (parent.get() < 0) {
        fail(path, errno);
    }
    for (const fs::path& part : name.parent_path()) {
        path /= part;
        if (mkdirat(parent.get(), part.c_str(), 0777) != 0 && errno != EEXIST) {
            fail(path, errno);
        }
        Descriptor next(
            retried([&] { return openat(parent.get(), part.c_str(), kFolder | O_NOFOLLOW); }));
        if (next.get() < 0) {
            fail_at(parent.get(), part, path, errno);
        }
        parent = std::move(next);
    }
    return parent;
}

// Returns the folder of the file, or the last one on the way to it that is there.
Descriptor existing_folder_of(const fs::path& folder, const fs::path& name) {
    require_below(folder, name);
    constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    Descriptor parent(retried([&] { return open(folder.c_str(), kFolder); }));
    fs::path path = folder;
    for (const fs::path& part : name.parent_path()) {
        path /= part;
        Descriptor next(
            retried([&] { return openat(parent.get(), part.c_str(), kFolder | O_NOFOLLOW); }));
        if (next.get() < 0 && errno == ENOENT) {
            break;
        }
        if (next.get() < 0) {
            fail_at(parent.get(), part, path, errno);
        }
        parent = std::move(next);
    }
    return parent;
}

void write_all(int file, const fs::path& path, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = write(file, bytes.data(), bytes.size());
        if (count < 0 && errno != EINTR) {
            fail(path, errno);
        }
        bytes.remove_prefix(count > 0 ? static_cast<std::size_t>(count) : 0);
    }
}

}  // namespace

Descriptor open_below(const fs::path& folder, const fs::path& name, int flags) {
    const Descriptor parent = folder_of(folder, name);
    const std::string own = name.filename().string();
    Descriptor file(retried([&] {
        return openat(parent.get(), own.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
    }));
    struct stat found {};
    if (file.get() < 0 && errno == ELOOP) {
        fail_at(parent.get(), own, folder / name, ELOOP);
    }
    if (file.get() >= 0 && fstat(file.get(), &found) == 0 && !S_ISREG(found.st_mode)) {
        throw SystemError("cannot write ", folder / name, ": it is not a regular file");
    }
    return file;
}

void require_writable(const fs::path& folder, const fs::path& name) {
    const Descriptor parent = existing_folder_of(folder, name);
    if (parent.get() >= 0 && faccessat(parent.get(), ".", W_OK, AT_EACCESS) != 0) {
        fail(folder / name, errno);
    }
}

void write_file(const fs::path& folder, const fs::path& name, std::string_view bytes) {
    const Descriptor parent = folder_of(folder, name);
    const std::string own = name.filename().string();
    const std::string unfinished = own + ".part";
    const fs::path unfinished_path = folder / name.parent_path() / unfinished;
    // Serializes the processes that write one file, if the file system has locks.
    static_cast<void>(retried([&] { return flock(parent.get(), LOCK_EX); }));
    unlinkat(parent.get(), unfinished.c_str(), 0);  // the leftover of a kill
    Descriptor file(retried([&] {
        return openat(parent.get(), unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                      0644);
    }));
    if (file.get() < 0) {
        fail(unfinished_path, errno);
    }
    try {
        write_all(file.get(), unfinished_path, bytes);
        if (close(file.release()) != 0) {  // a file system may report a full disk here
            fail(unfinished_path, errno);
        }
        if (renameat(parent.get(), unfinished.c_str(), parent.get(), own.c_str()) != 0) {
            fail(folder / name, errno);
        }
    } catch (const SystemError&) {
        unlinkat(parent.get(), unfinished.c_str(), 0);
        throw;
    }
}

std::string result_name(std::string_view section, std::uint64_t episode, std::string_view suffix) {
    std::string number = std::to_string(episode);
    number.insert(0, number.size() < 6 ? 6 - number.size() : 0, '0');
    return std::string(section) + "_" + number + "." + std::string(suffix);
}

std::string csv_cell(const std::string& text, char separator) {
    if (text.find_first_of(std::string("\"\r\n") + separator) == std::string::npos) {
        return text;
    }
    std::string cell = "\"";
    for (const char c : text) {
        cell += c;
        if (c == '"') {
            cell += c;
        }
    }
    return cell + '"';
}

}  // namespace ptp::support
