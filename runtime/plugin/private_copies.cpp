// Writes copies of plugins' files under names of their own.

#include "plugin/private_copies.hpp"

#include "base/descriptor.hpp"
#include "base/explanation.hpp"
#include "base/system_file.hpp"
#include "plugin/library_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

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
          descriptor_(system::create_new(draft_, 0400)) {
        if (!descriptor_.is_open() && errno != EEXIST) {
            fail();
        }
        is_left_ = descriptor_.is_open();
    }

    ~Draft() {
        descriptor_ = Descriptor();  // Windows does not remove an open file
        if (is_left_) {
            std::error_code ignored;
            fs::remove(draft_, ignored);
        }
    }
    Draft(const Draft&) = delete;
    Draft& operator=(const Draft&) = delete;

    // Returns whether both names were free.
    bool is_ours() const { return descriptor_.is_open() && !fs::exists(fs::symlink_status(path_)); }

    void write(std::string_view content) {
        while (!content.empty()) {
            const ssize_t written = ::write(descriptor_.get(), content.data(), content.size());
            if (written < 0 && errno != EINTR) {
                fail();
            }
            content.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
        }
        if (system::flush(descriptor_.get()) != 0 && errno != EINVAL) {
            fail();
        }
        ::close(descriptor_.release());  // no open file has its name changed on Windows
        if (system::rename_over(draft_, path_) != 0) {
            fail();
        }
        is_left_ = false;
    }

private:
    [[noreturn]] void fail() const {
        const int reason = errno;
        refuse(fmt::format("its copy {} cannot be written", path_.string()), reason);
    }

    fs::path path_;
    fs::path draft_;
    Descriptor descriptor_;
    bool is_left_ = false;  // the file with the name for the draft
};

// Returns a path without "." and without a '/' at the end, as a file's parent_path() returns it.
fs::path plain(const fs::path& folder) {
    const fs::path path = fs::absolute(folder).lexically_normal();
    return path.has_filename() ? path : path.parent_path();
}

}  // namespace

PrivateCopies::PrivateCopies(const fs::path& folder) : folder_(plain(folder)) {}

bool PrivateCopies::holds(const fs::path& path) const {
    return plain(path).parent_path() == folder_;
}

fs::path PrivateCopies::add(std::string_view name, std::string_view content, std::string_view hash,
                            const std::vector<Companion>& companions) {
    make_folder(folder_);
    while (true) {
        const fs::path path =
            folder_ / fmt::format("{}.{}.{}{}", name, next_number_++,
                                  hash.substr(0, kHashDigitsInName), library_suffix());
        Draft draft(path);
        if (!draft.is_ours()) {
            continue;
        }
        remove_copy(path);  // what a killed process has left
        try {
            copy_companions(companions, path);
            draft.write(content);
        } catch (const ResourceError&) {
            remove_copy(path);
            throw;
        } catch (const std::runtime_error& error) {
            remove_copy(path);
            throw ResourceError(error.what());
        }
        return path;
    }
}

}  // namespace ptp::plugin
