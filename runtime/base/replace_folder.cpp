// Exchanges a folder for a new one in one step, or in two where the file system cannot.

#include "base/replace_folder.hpp"

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/system_file.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <system_error>

namespace ptp {

namespace fs = std::filesystem;

namespace {

void rename_folder(const fs::path& from, const fs::path& to) {
    if (system::rename_over(from, to) != 0) {
        throw RunError(kTrainingError,
                       fmt::format("cannot rename {} to {}: {}", from.string(),
                                   to.filename().string(), std::generic_category().message(errno)));
    }
}

// Ignores a failure: its name marks the folder as a leftover, which the next write or removal
// deletes.
void remove_if_possible(const fs::path& rest) {
    std::error_code ignored;
    fs::remove_all(rest, ignored);
}

void put_in_place(const fs::path& made, const fs::path& folder, ExchangeFolders exchange) {
    if (!fs::exists(folder)) {
        rename_folder(made, folder);
        return;
    }
    if (exchange(made, folder)) {
        return;
    }
    const fs::path old = retire_folder(folder);
    rename_folder(made, folder);
    remove_if_possible(old);
}

}  // namespace

bool exchange_folders(const fs::path& left, const fs::path& right) {
    if (system::exchange(left, right)) {
        return true;
    }
    if (errno != EINVAL && errno != ENOSYS) {
        throw RunError(kTrainingError, fmt::format("cannot replace {}: {}", right.string(),
                                                   std::generic_category().message(errno)));
    }
    return false;
}

void replace_folder(const fs::path& folder, const std::function<void(const fs::path&)>& write,
                    ExchangeFolders exchange) {
    const fs::path made = folder.string() + ".new";
    std::error_code error;
    fs::remove_all(made, error);  // the leftover of a killed run
    if (!error) {
        fs::create_directory(made, error);
    }
    if (error) {
        throw RunError(kTrainingError,
                       fmt::format("cannot write {}: {}", made.string(), error.message()));
    }
    try {
        write(made);
        sync_folder(made);
    } catch (...) {
        // On a full disk this frees the space that is needed to record the end of the run.
        remove_if_possible(made);
        throw;
    }
    put_in_place(made, folder, exchange);
    sync_folder(folder.parent_path());
    remove_if_possible(made);  // the old folder after an exchange
}

void recover_folder(const fs::path& folder, const std::function<bool(const fs::path&)>& is_whole) {
    for (const char* suffix : {".new", ".old"}) {
        const fs::path rest = folder.string() + suffix;
        if (!fs::exists(folder) && fs::exists(rest) && is_whole(rest)) {
            rename_folder(rest, folder);
            sync_folder(folder.parent_path());
        }
    }
}

fs::path retire_folder(const fs::path& folder) {
    fs::path old = folder.string() + ".old";
    remove_if_possible(old);
    rename_folder(folder, old);
    return old;
}

}  // namespace ptp
