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
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace ptp {

namespace fs = std::filesystem;

namespace {

// Returns the beginning of the names of parts that processes of this boot write; "" without a boot.
std::string own_beginning(const fs::path& file) {
    const std::string mark = boot_mark(fs::absolute(file).parent_path());
    return mark.empty() ? "" : fmt::format("{}.new-{}-", file.filename().string(), mark);
}

// Returns whether no process of this machine has this number.
bool is_gone_process(std::string_view digits) {
    pid_t process = 0;
    const char* const end = digits.data() + digits.size();
    const auto parsed = std::from_chars(digits.data(), end, process);
    return parsed.ec == std::errc() && parsed.ptr == end && process > 0 &&
           ::kill(process, 0) != 0 && errno == ESRCH;
}

// Returns whether the file is one of this user, that no process has locked.
bool is_left(const fs::path& part) {
    const Descriptor opened(open(part.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    struct stat facts {};
    return opened.is_open() && fstat(opened.get(), &facts) == 0 && S_ISREG(facts.st_mode) &&
           facts.st_uid == geteuid() && flock(opened.get(), LOCK_EX | LOCK_NB) == 0;
}

void remove_left(const fs::path& file) {
    const std::string beginning = own_beginning(file);
    std::error_code error;
    fs::directory_iterator entries(fs::absolute(file).parent_path(), error);
    for (; !error && !beginning.empty() && entries != fs::directory_iterator();
         entries.increment(error)) {
        const std::string name = entries->path().filename().string();
        if (name.starts_with(beginning) &&
            is_gone_process(std::string_view(name).substr(beginning.size())) &&
            is_left(entries->path())) {
            std::error_code ignored;
            fs::remove(entries->path(), ignored);
        }
    }
}

std::string part_of(const fs::path& file) {
    const std::string beginning = own_beginning(file);
    return beginning.empty()
               ? fmt::format("{}.new-{}", file.string(), ::getpid())
               : (file.parent_path() / fmt::format("{}{}", beginning, ::getpid())).string();
}

}  // namespace

PartialFile::PartialFile(fs::path file) : file_(std::move(file)), part_(part_of(file_)) {
    remove_left(file_);
    std::error_code ignored;  // reported when it is written
    fs::remove(part_, ignored);
    list_temporary_folder(fs::absolute(part_).string());
}

PartialFile::~PartialFile() {
    std::error_code ignored;
    fs::remove(part_, ignored);
    unlist_temporary_folder(fs::absolute(part_).string());
}

void PartialFile::hold() {
    holding_ = Descriptor(open(part_.c_str(), O_RDONLY | O_CLOEXEC));
    static_cast<void>(flock(holding_.get(), LOCK_EX | LOCK_NB));
}

void PartialFile::finish() {
    std::error_code error;
    fs::rename(part_, file_, error);
    if (error) {
        throw RunError(kTrainingError,
                       fmt::format("cannot write {}: {}", file_.string(), error.message()));
    }
}

}  // namespace ptp
