// The folder of one run: made anew, never over something that is there.

#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace ptp::engine {

class RunFolder {
public:
    // `asked_for` must not exist or be empty. Without it: runs/<name>/<YYYYmmdd_HHMMSS> in the
    // current folder, with _2, _3 and so on where that is taken. Throws RunError with
    // kConfigurationError.
    RunFolder(const std::optional<std::filesystem::path>& asked_for, const std::string& name,
              std::chrono::system_clock::time_point now);

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }  // absolute
    [[nodiscard]] std::filesystem::path last_checkpoint() const;
    [[nodiscard]] std::filesystem::path best_checkpoint() const;

    // Writes status.toml: "running", "done", "failed" or "interrupted", and why.
    void write_status(std::string_view state, std::string_view reason, int exit_code) const;

private:
    std::filesystem::path path_;
};

}  // namespace ptp::engine
