// Creates and removes temporary files and folders.

#include "base/temporary_path.hpp"

#include "base/system_file.hpp"
#include "base/temporary_on_signal.hpp"

#include <cerrno>
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
    std::string name = (fs::temp_directory_path() / kTemporaryFolder).string();
    if (!system::make_private_folder(name)) {
        throw std::system_error(errno, std::generic_category(), "cannot make the folder " + name);
    }
    list_temporary_folder(name);
    return TemporaryPath(name);
}

TemporaryPath TemporaryPath::empty_folder(const fs::path& path) {
    fs::remove_all(path);
    fs::create_directories(path);
    return TemporaryPath(path);
}

}  // namespace ptp
