// The command line of ptp-inspect.
#pragma once

#include "engine/check_rules.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace ptp::inspect {

enum class Format { kText, kJson, kMarkdown };

struct Options {
    std::vector<std::string> names;  // files, plugins, types
    std::vector<std::filesystem::path> plugin_folders;
    Format format = Format::kText;
    bool checks = false;
    int time_limit_s = 20;                            // per rule and component
    std::optional<std::filesystem::path> given = {};  // the file of --with
    std::vector<engine::RuleId> rules = {};           // of --only; empty: all
    std::uint64_t seed = 1;
    bool is_strict = false;  // warnings reject a plugin too
    bool wants_help = false;
    bool wants_version = false;
};

// Thrown with a sentence.
class UsageError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Throws UsageError.
Options parse_options(int argc, char** argv);

std::string usage();

}  // namespace ptp::inspect
