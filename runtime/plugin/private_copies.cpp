#include "plugin/private_copies.hpp"

#include "base/explanation.hpp"
#include "plugin/elf.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace ptp::plugin {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHashDigitsInName = 16;

[[noreturn]] void refuse(const std::string& what, int reason) {
    const char* fix = "make room there, or make it writable";
    if (reason == EMFILE || reason == ENFILE) {
        fix = "raise the limit of open files (ulimit -n)";
    } else if (reason == EFBIG) {
        fix = "raise the limit of the size of a file (ulimit -f)";
    }
    throw WithFix<ResourceError>(
        {fmt::format("{}: {}", what, std::generic_category().message(reason)), fix});
}

void make_folder(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
        refuse(fmt::format("the folder {} for its copy cannot be made", folder.string()),
               error.value());
    }
}

// A file that is written under another name first. As long as it has that name, no other process
// makes a copy of the final one.
class Draft {
public:
    explicit Draft(const fs::path& path)
        : path_(path),
          draft_(path.string() + ".new"),
          descriptor_(::open(draft_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400)) {
        if (descriptor_ < 0 && errno != EEXIST) {
            fail();
        }
    }

    ~Draft() {
        if (descriptor_ >= 0) {
            ::close(descriptor_);
            ::unlink(draft_.c_str());
        }
    }
    Draft(const Draft&) = delete;
    Draft& operator=(const Draft&) = delete;

    // Whether both names were free.
    bool is_ours() const { return descriptor_ >= 0 && !fs::exists(fs::symlink_status(path_)); }

    void write(std::string_view content) {
        while (!content.empty()) {
            const ssize_t written = ::write(descriptor_, content.data(), content.size());
            if (written < 0 && errno != EINTR) {
                fail();
            }
            content.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
        }
        if (::fsync(descriptor_) != 0 && errno != EINVAL) {
            fail();
        }
        if (::rename(draft_.c_str(), path_.c_str()) != 0) {
            fail();
        }
        ::close(descriptor_);
        descriptor_ = -1;
    }

private:
    [[noreturn]] void fail() const {
        const int reason = errno;
        refuse(fmt::format("its copy {} cannot be written", path_.string()), reason);
    }

    fs::path path_;
    std::string draft_;
    int descriptor_;
};

// Without "." and without a '/' at the end, as a file's parent_path() returns it.
fs::path plain(const fs::path& folder) {
    const fs::path path = fs::absolute(folder).lexically_normal();
    return path.has_filename() ? path : path.parent_path();
}

}  // namespace

PrivateCopies::PrivateCopies(const fs::path& folder) : folder_(plain(folder)) {}

bool PrivateCopies::holds(const fs::path& path) const {
    return plain(path).parent_path() == folder_;
}

fs::path PrivateCopies::add(std::string_view name, std::string_view content,
                            std::string_view hash) {
    make_folder(folder_);
    while (true) {
        const fs::path path = folder_ / fmt::format("{}.{}.{}.so", name, next_number_++,
                                                    hash.substr(0, kHashDigitsInName));
        Draft draft(path);
        if (draft.is_ours()) {
            draft.write(content);
            return path;
        }
    }
}

}  // namespace ptp::plugin
