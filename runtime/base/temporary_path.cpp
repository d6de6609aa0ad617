// Creates and removes temporary files and folders.

#include "base/temporary_path.hpp"

#include "base/system_file.hpp"
#include "base/temporary_folders.hpp"

#include <cerrno>
#include <mutex>
#include <string>
#include <system_error>

namespace ptp {

namespace fs = std::filesystem;

TemporaryPath::~TemporaryPath() {
    if (!path_.empty()) {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
        unlist_temporary_folder(path_.string());
    }
}

TemporaryPath TemporaryPath::new_folder() {
    const fs::path parent = fs::temp_directory_path();
    // A mutable static, because its callers have only their process in common, and reading all
    // names of the parent takes milliseconds where it has thousands.
    static std::once_flag is_tidied;
    std::call_once(is_tidied, [&] { remove_abandoned_folders(parent); });
    std::string name = (parent / temporary_folder_pattern(parent)).string();
    if (!system::make_private_folder(name)) {
        throw std::system_error(errno, std::generic_category(), "cannot make the folder " + name);
    }
    list_temporary_folder(name);
    TemporaryPath made(name);
    made.holding_ = hold_temporary_folder(name);
    return made;
}

TemporaryPath TemporaryPath::empty_folder(const fs::path& path) {
    fs::remove_all(path);
    fs::create_directories(path);
    return TemporaryPath(path);
}

}  // namespace ptp
