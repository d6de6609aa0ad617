// Looks for the missing file of a data set two levels above and below the folder that is named.

#include "pipeline/data_folders.hpp"

#include "base/toml_writer.hpp"
#include "pipeline/evaluate.hpp"
#include "plugin/manifest.hpp"
#include "plugin/purpose.hpp"
#include "schema/check_value.hpp"
#include "schema/key_path.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

namespace ptp::pipeline {

namespace {

namespace fs = std::filesystem;

using Names = std::vector<std::string>;

// Returns the file that a message misses in the folder, by each of its names: "a/x" and "x.gz" for
// "FOLDER/a/x: no such file, nor x.gz"; nothing where it misses none there.
Names missing_in(const std::string& folder, std::string_view message) {
    constexpr std::string_view kMissing = ": no such file";
    constexpr std::string_view kNor = ", nor ";
    const std::string before = folder.ends_with('/') ? folder : folder + "/";
    const std::size_t at = message.find(before);
    const std::size_t end = at == message.npos ? at : message.find(kMissing, at);
    if (end == message.npos) {
        return {};
    }
    const std::string_view file = message.substr(at + before.size(), end - at - before.size());
    if (file.find('\n') != file.npos) {
        return {};
    }
    Names names = {std::string(file)};
    std::string_view rest = message.substr(end + kMissing.size());
    if (rest.starts_with(kNor)) {
        rest.remove_prefix(kNor.size());
        names.emplace_back(rest.substr(0, rest.find_first_of(";\n")));
    }
    return names;
}

bool has_any(const fs::path& folder, const Names& names) {
    return std::ranges::any_of(names, [&](const std::string& name) {
        std::error_code ignored;  // what cannot be looked at cannot be read either
        return fs::is_regular_file(folder / name, ignored);
    });
}

std::vector<fs::path> folders_in(const std::vector<fs::path>& parents) {
    constexpr std::size_t kMaxEntries = 10000;
    std::vector<fs::path> folders;
    std::size_t entries = 0;
    for (const fs::path& parent : parents) {
        std::error_code error;  // what cannot be read has none
        for (fs::directory_iterator entry(parent, error), end;
             !error && entry != end && entries < kMaxEntries; entry.increment(error), ++entries) {
            std::error_code ignored;
            if (entry->is_directory(ignored)) {
                folders.push_back(entry->path());
            }
        }
    }
    return folders;
}

// Returns the experiment's folder if it has the file, else the only folder at the nearest level
// that does.
std::optional<fs::path> folder_with(const fs::path& named, const Names& names,
                                    const SourceLocation& place) {
    std::error_code ignored;  // then it is not there
    const fs::path experiment = fs::absolute(place.file(), ignored).parent_path();
    if (place.file() != kCommandLine && has_any(experiment, names)) {
        return experiment;
    }
    const fs::path folder = named.has_filename() ? named : named.parent_path();
    const std::vector<fs::path> within = folders_in({folder});
    const std::array<std::vector<fs::path>, 4> levels = {std::vector{folder.parent_path()},
                                                         {folder.parent_path().parent_path()},
                                                         within,
                                                         folders_in(within)};
    for (const std::vector<fs::path>& level : levels) {
        const auto has = [&](const fs::path& one) { return has_any(one, names); };
        if (const auto count = std::ranges::count_if(level, has); count > 0) {
            return count == 1 ? std::optional(*std::ranges::find_if(level, has)) : std::nullopt;
        }
    }
    return std::nullopt;
}

}  // namespace

std::string typed_path(const std::string& path, const SourceLocation& place) {
    if (place.file() == kCommandLine) {
        return path;
    }
    std::error_code ignored;  // then the path stays as it is
    const fs::path folder = fs::absolute(place.file(), ignored).parent_path().lexically_normal();
    const fs::path below = fs::path(path).lexically_relative(folder);
    return below.empty() || *below.begin() == ".." ? path : below.string();
}

std::string fix_of_folder(const Node& node, std::string_view message) {
    const auto& declared = node.component->settings;
    for (std::size_t i = 0; i < declared.size(); ++i) {
        const std::optional<Value>& value = node.settings[i];
        // Components have vocabularies and vectors in folders, which are not of a data set.
        const bool may_be_folder =
            !declared[i].obtain.empty() || declared[i].type == plugin::SettingType::kPath;
        if (!may_be_folder || !value || !value->is_string()) {
            continue;
        }
        const Names names = missing_in(value->as_string(), message);
        const auto folder =
            names.empty() ? std::nullopt : folder_with(value->as_string(), names, node.place);
        if (folder) {
            const SourceLocation& place =
                value->place().text().empty() ? node.place : value->place();
            return schema::typed_value(place, schema::below(node.path, declared[i].name),
                                       inline_toml(Value(typed_path(folder->string(), place))));
        }
    }
    return "";
}

std::string part_of_data(std::string_view folder) {
    return folder == "train" || folder == "training" ? "training"
           : folder == "val" || folder == "valid" || folder == "validation" || folder == "dev"
               ? "validation"
           : folder == "test" || folder == "testing" ? "test"
                                                     : "";
}

std::string fix_of_parts(const Node& training, const Node& other) {
    const auto& declared = training.component->settings;
    const auto* const setting = plugin::find_purpose(declared, plugin::Purpose::kDataFolder);
    const auto* const classes = plugin::find_purpose(declared, plugin::Purpose::kClassNames);
    const Value* const root =
        setting == nullptr ? nullptr : checked_settings(training).find(setting->name);
    const Value* const listed =
        classes == nullptr ? nullptr : checked_settings(training).find(classes->name);
    if (root == nullptr || !root->is_string() || classes == nullptr ||
        (listed != nullptr && !listed->items().empty())) {
        return "";
    }
    const std::string section = other.section.substr(0, other.section.find('.'));
    std::string trained_on;
    std::string measured;
    for (const fs::path& folder : folders_in({root->as_string()})) {
        const std::string part = part_of_data(folder.filename().string());
        if (part.empty() && !folder.filename().string().starts_with('.')) {
            return "";
        }
        if (part == "training") {
            trained_on = folder.string();
        } else if (!part.empty() && (measured.empty() || part == section)) {
            measured = folder.string();
        }
    }
    const auto write = [&](const std::string& path, const Node& task) {
        return fmt::format("{} = {} in {}", setting->name,
                           inline_toml(Value(typed_path(path, task.place))), task.path);
    };
    return trained_on.empty() || measured.empty()
               ? ""
               : fmt::format(
                     "the folders there are parts of the data, and not classes: set {} and "
                     "{}",
                     write(trained_on, training), write(measured, other));
}

}  // namespace ptp::pipeline
