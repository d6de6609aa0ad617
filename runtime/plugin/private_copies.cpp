// Writes copies of plugins' files under names of their own.

#include "plugin/private_copies.hpp"

#include "base/descriptor.hpp"
#include "base/explanation.hpp"
#include "base/system_file.hpp"
#include "base/temporary_path.hpp"
#include "plugin/library_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <stdexcept>
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

[[noreturn]] void refuse_copy(const fs::path& copy) {
    const int reason = errno;
    refuse(fmt::format("its copy {} cannot be written", copy.string()), reason);
}

// Writes the content and closes the file, because no open file has its name changed on Windows.
void write_whole(Descriptor& file, std::string_view content, const fs::path& copy) {
    while (!content.empty()) {
        const ssize_t written = ::write(file.get(), content.data(), content.size());
        if (written < 0 && errno != EINTR) {
            refuse_copy(copy);
        }
        content.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
    }
    if (system::flush(file.get()) != 0 && errno != EINVAL) {
        refuse_copy(copy);
    }
    file = Descriptor();
}

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
        // As long as this file exists, no other process makes the copy.
        const fs::path made = path.string() + ".new";
        std::optional<TemporaryPath> draft;
        Descriptor file(system::create_new(made, 0400));
        if (!file.is_open() && errno != EEXIST) {
            refuse_copy(path);
        }
        if (!file.is_open()) {
            continue;
        }
        draft.emplace(made);
        if (fs::exists(fs::symlink_status(path))) {
            continue;
        }
        remove_copy(path);  // what a killed process has left
        try {
            copy_companions(companions, path);
            write_whole(file, content, path);
            if (system::rename_over(made, path) != 0) {
                refuse_copy(path);
            }
        } catch (const ResourceError&) {
            remove_copy(path);
            throw;
        } catch (const std::runtime_error& error) {
            remove_copy(path);
            throw ResourceError(error.what());
        }
        draft->keep();
        return path;
    }
}

}  // namespace ptp::plugin
