#include "engine/train/run_folder.hpp"

#include "config/value.hpp"
#include "config/write.hpp"
#include "engine/checkpoint/file.hpp"
#include "engine/error.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <system_error>

namespace ptp::engine {

namespace fs = std::filesystem;

namespace {

fs::path new_folder(const fs::path& parent, std::chrono::system_clock::time_point now) {
    fs::create_directories(parent);
    const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
    const std::string stamp = fmt::format("{:%Y%m%d_%H%M%S}", fmt::localtime(seconds));
    fs::path folder = parent / stamp;
    for (int i = 2; !fs::create_directory(folder); ++i) {
        folder = parent / fmt::format("{}_{}", stamp, i);
    }
    return folder;
}

void take_folder(const fs::path& folder) {
    if (fs::exists(folder) && !(fs::is_directory(folder) && fs::is_empty(folder))) {
        throw RunError(kConfigurationError,
                       fmt::format("the run folder {} is there already and not empty; name another "
                                   "one, or none to get a new one",
                                   folder.string()));
    }
    fs::create_directories(folder);
}

}  // namespace

RunFolder::RunFolder(const std::optional<fs::path>& asked_for, const std::string& name,
                     std::chrono::system_clock::time_point now) {
    try {
        if (asked_for) {
            take_folder(*asked_for);
        }
        path_ = fs::absolute(asked_for ? *asked_for : new_folder(fs::path("runs") / name, now));
        fs::create_directory(path_ / "checkpoints");
    } catch (const fs::filesystem_error& error) {
        throw RunError(kConfigurationError,
                       fmt::format("cannot make the run folder {}: {}", error.path1().string(),
                                   error.code().message()));
    }
}

fs::path RunFolder::last_checkpoint() const {
    return path_ / "checkpoints" / "last";
}

fs::path RunFolder::best_checkpoint() const {
    return path_ / "checkpoints" / "best";
}

void RunFolder::write_status(std::string_view state, std::string_view reason, int exit_code) const {
    const config::Value status = config::Value::table(
        {{"state", std::string(state)}, {"reason", std::string(reason)}, {"exit_code", exit_code}});
    replace_file(path_ / "status.toml", config::to_toml(status));
}

}  // namespace ptp::engine
