// Names parts by the boot of the machine and the process, and removes those whose process has
// ended.

#include "base/partial_file.hpp"

#include "base/error.hpp"
#include "base/temporary_folders.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>

namespace ptp {

namespace fs = std::filesystem;

namespace {

constexpr int kMaxParts = 1000;  // of one file and process at once

constexpr std::size_t kMaxBeginning = 215;  // of 255 bytes: the rest is for mark and numbers

[[noreturn]] void cannot_write_part(const fs::path& file, const std::error_code& error) {
    throw RunError(kTrainingError,
                   fmt::format("cannot write {}: {}", file.string(), error.message()));
}

std::error_code last_error() {
    return {errno, std::generic_category()};
}

fs::path absolute_path(const fs::path& file) {
    std::error_code error;
    fs::path whole = fs::absolute(file, error);
    if (error) {
        cannot_write_part(file, error);
    }
    return whole;
}

// Returns the name, without whole characters at the end where it is too long for a part.
std::string cut_name(std::string name) {
    if (name.size() > kMaxBeginning) {
        std::size_t size = kMaxBeginning;
        while (size > 0 && (static_cast<unsigned char>(name[size]) & 0xC0U) == 0x80U) {
            --size;
        }
        name.resize(size);
    }
    return name;
}

// Returns the beginning of the names of parts that processes of this boot write.
std::string own_beginning(const fs::path& file, const std::string& mark) {
    return fmt::format("{}.new-{}{}", cut_name(file.filename().string()), mark,
                       mark.empty() ? "" : "-");
}

// Returns whether no process of this machine has this number, which another may follow: "17-2".
bool is_gone_process(std::string_view digits) {
    pid_t process = 0;
    const std::string_view number = digits.substr(0, digits.find('-'));
    const char* const end = number.data() + number.size();
    const auto parsed = std::from_chars(number.data(), end, process);
    return parsed.ec == std::errc() && parsed.ptr == end && process > 0 &&
           ::kill(process, 0) != 0 && errno == ESRCH;
}

bool is_at(int descriptor, const fs::path& path) {
    struct stat opened {};
    struct stat there {};
    return fstat(descriptor, &opened) == 0 && lstat(path.c_str(), &there) == 0 &&
           opened.st_dev == there.st_dev && opened.st_ino == there.st_ino;
}

// Removes a file of this user that no process has locked. Its lock is held meanwhile, so that a
// process that has made it and not locked it yet notices.
void remove_if_left(const fs::path& part) {
    const Descriptor opened(open(part.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    struct stat facts {};
    if (opened.is_open() && fstat(opened.get(), &facts) == 0 && S_ISREG(facts.st_mode) &&
        facts.st_uid == geteuid() && flock(opened.get(), LOCK_EX | LOCK_NB) == 0 &&
        is_at(opened.get(), part)) {
        std::error_code ignored;
        fs::remove(part, ignored);
    }
}

void remove_left(const fs::path& folder, const std::string& beginning) {
    std::error_code error;
    fs::directory_iterator entries(folder, error);
    for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
        const std::string name = entries->path().filename().string();
        if (name.starts_with(beginning) &&
            is_gone_process(std::string_view(name).substr(beginning.size()))) {
            remove_if_left(entries->path());
        }
    }
}

// Makes the file, and locks it where its file system has locks. Returns no descriptor if another
// process has the path.
Descriptor make_locked(const fs::path& part) {
    Descriptor made(open(part.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
    const bool is_taken =
        made.is_open() && ((flock(made.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) ||
                           !is_at(made.get(), part));
    if (is_taken) {
        errno = EEXIST;
        return {};
    }
    return made;
}

}  // namespace

PartialFile::PartialFile(const fs::path& file) : typed_(file), file_(absolute_path(file)) {
    std::error_code error;
    if (!fs::exists(fs::symlink_status(file_, error)) && error == std::errc::filename_too_long) {
        cannot_write_part(typed_, error);
    }
    const std::string mark = boot_mark(file_.parent_path());
    const std::string beginning = own_beginning(file_, mark);
    if (!mark.empty()) {
        remove_left(file_.parent_path(), beginning);
    }
    const std::string name = fmt::format("{}{}", beginning, ::getpid());
    for (int number = 1; !held_.is_open(); ++number) {
        part_ = file_.parent_path() / (number == 1 ? name : fmt::format("{}-{}", name, number));
        if (!mark.empty()) {
            remove_if_left(part_);  // of an earlier process with this number
        }
        held_ = make_locked(part_);
        if (!held_.is_open() && (errno != EEXIST || number == kMaxParts)) {
            cannot_write_part(typed_, last_error());
        }
    }
    list_temporary_folder(part_.string());
}

PartialFile::~PartialFile() {
    std::error_code ignored;
    if (is_at(held_.get(), part_)) {
        fs::remove(part_, ignored);
    }
    unlist_temporary_folder(part_.string());
}

OutputFile PartialFile::open_to_write() const {
    return OutputFile::append(part_, 0);
}

void PartialFile::finish() {
    if (!is_at(held_.get(), part_)) {
        cannot_write_part(typed_, std::make_error_code(std::errc::no_such_file_or_directory));
    }
    std::error_code error;
    fs::rename(part_, file_, error);
    if (error) {
        cannot_write_part(typed_, error);
    }
}

}  // namespace ptp
