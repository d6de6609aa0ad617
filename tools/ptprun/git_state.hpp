// In which state of a repository something was done.

#pragma once

#include <filesystem>
#include <string>

namespace ptp::ptprun {

struct GitState {
    std::string commit;  // "" outside of a repository, or where there is no git
    bool is_clean = false;
};

// Of the repository that holds a file. Asks the program git.
GitState git_state(const std::filesystem::path& file);

}  // namespace ptp::ptprun
