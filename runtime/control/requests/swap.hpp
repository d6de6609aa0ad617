#pragma once

#include "base/diagnostics.hpp"
#include "schema/fields.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::control {

// Exchanges plugins. In a journal it has other arguments: see run/journal.hpp.
struct Swap {
    static constexpr std::string_view kName = "swap";
    static constexpr std::string_view kHelp = "exchanges plugins for newer builds";
    static constexpr bool kIsJournalled = true;

    std::vector<std::filesystem::path> files;  // absolute, at least one
    bool is_dry_run = false;
    schema::Raw given_files = nullptr;

    std::vector<schema::Field> fields() {
        return {{.name = "files",
                 .into = &given_files,
                 .help = "absolute paths of the newer builds",
                 .is_required = true},
                {.name = "dry_run",
                 .into = &is_dry_run,
                 .help = "only find out whether it would work"}};
    }

    void check(Diagnostics& problems) {
        if (given_files == nullptr) {
            return;
        }
        const auto is_absolute_path = [](const Value& value) {
            return value.is_string() && std::filesystem::path(value.as_string()).is_absolute() &&
                   value.as_string().find('\0') == std::string::npos;
        };
        if (!given_files->is_list() || given_files->items().empty() ||
            !std::ranges::all_of(given_files->items(), is_absolute_path)) {
            problems.error(*given_files, "swap.files",
                           "must be a list of absolute paths, at least one");
            return;
        }
        for (const Value& file : given_files->items()) {
            files.emplace_back(file.as_string());
        }
    }
};

}  // namespace ptp::control
