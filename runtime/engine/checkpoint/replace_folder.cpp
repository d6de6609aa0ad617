#include "engine/checkpoint/replace_folder.hpp"

#include "engine/checkpoint/file.hpp"
#include "engine/error.hpp"

#include <fcntl.h>
#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace ptp::engine {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& folder) {
    throw RunError(kTrainingError, fmt::format("cannot replace {}: {}", folder.string(),
                                               std::generic_category().message(errno)));
}

// Both names change their meaning in one step; some file systems do not have that.
bool exchanged(const fs::path& left, const fs::path& right) {
    return renameat2(AT_FDCWD, left.c_str(), AT_FDCWD, right.c_str(), RENAME_EXCHANGE) == 0;
}

void put_in_place(const fs::path& made, const fs::path& folder) {
    if (!fs::exists(folder)) {
        if (std::rename(made.c_str(), folder.c_str()) != 0) {
            fail(folder);
        }
        return;
    }
    if (exchanged(made, folder)) {
        return;
    }
    if (errno != EINVAL && errno != ENOSYS) {
        fail(folder);
    }
    const fs::path old = folder.string() + ".old";
    fs::remove_all(old);
    if (std::rename(folder.c_str(), old.c_str()) != 0 ||
        std::rename(made.c_str(), folder.c_str()) != 0) {
        fail(folder);
    }
    fs::remove_all(old);
}

}  // namespace

void replace_folder(const fs::path& folder, const std::function<void(const fs::path&)>& write) {
    const fs::path made = folder.string() + ".new";
    fs::remove_all(made);  // what a kill may have left
    fs::create_directory(made);
    try {
        write(made);
        sync_folder(made);
    } catch (...) {
        // On a full disk this makes the room that is needed to say how the run has ended.
        std::error_code ignored;
        fs::remove_all(made, ignored);
        throw;
    }
    put_in_place(made, folder);
    sync_folder(folder.parent_path());
    fs::remove_all(made);  // after an exchange: the old one
}

void remove_folder(const fs::path& folder) {
    const fs::path old = folder.string() + ".old";
    fs::remove_all(old);
    if (std::rename(folder.c_str(), old.c_str()) != 0) {
        fail(folder);
    }
    fs::remove_all(old);
}

}  // namespace ptp::engine
