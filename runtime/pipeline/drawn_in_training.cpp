// Finds out whether data are those of a training, or a copy of them.

#include "base/file_error.hpp"
#include "base/paths.hpp"
#include "base/sha256.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/task_data.hpp"
#include "plugin/purpose.hpp"
#include "plugin/setting_key.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace ptp::pipeline {

namespace fs = std::filesystem;

namespace {

bool have_same_content(const fs::path& one, const fs::path& other) {
    std::error_code ignored;  // what cannot be read is reported when it is
    const auto size = [&](const fs::path& file) {
        return fs::is_regular_file(file, ignored) ? fs::file_size(file, ignored) : 0;
    };
    try {
        return size(one) > 0 && size(one) == size(other) &&
               sha256_of_file(one) == sha256_of_file(other);
    } catch (const FileError&) {
        return false;
    }
}

// Returns the sizes of files in a folder, at most this many, by their names from there.
std::map<std::string, std::uintmax_t> files_in(const fs::path& folder, std::size_t most) {
    std::map<std::string, std::uintmax_t> sizes;
    std::error_code ignored;  // what cannot be read is reported when it is
    for (fs::recursive_directory_iterator at(folder, ignored), end;
         !ignored && at != end && sizes.size() < most; at.increment(ignored)) {
        if (at->is_regular_file(ignored)) {
            sizes[at->path().lexically_relative(folder).string()] = at->file_size(ignored);
        }
    }
    return sizes;
}

// Returns whether both folders have the same files. The content is read only of folders whose files
// have the same names and sizes.
bool are_same_folders(const fs::path& one, const fs::path& other) {
    constexpr std::size_t kMaxFiles = 1'000'000;
    std::error_code ignored;
    if (!fs::is_directory(one, ignored) || !fs::is_directory(other, ignored)) {
        return false;
    }
    const auto files = files_in(one, kMaxFiles);
    return !files.empty() && files == files_in(other, kMaxFiles) &&
           std::ranges::all_of(files, [&](const auto& file) {
               return file.second == 0 || have_same_content(one / file.first, other / file.first);
           });
}

// Returns whether the task reads the path in the folder: all of a class folder, but no file beside
// these, and nothing hidden.
bool is_read_in(const fs::path& inner, const fs::path& folder) {
    const fs::path name = inner.lexically_relative(folder);
    std::error_code ignored;
    const bool is_beside_classes =
        std::distance(name.begin(), name.end()) == 1 && !fs::is_directory(inner, ignored);
    return !is_beside_classes && std::ranges::none_of(name, [](const fs::path& part) {
        return part.string().starts_with('.');
    });
}

// Returns whether a folder of classes has a copy of a folder among these.
bool has_copy_of(const fs::path& inner, const fs::path& outer) {
    std::error_code ignored;
    fs::directory_iterator at(outer, ignored);
    return std::any_of(fs::begin(at), fs::end(at), [&](const fs::directory_entry& entry) {
        return are_same_folders(inner, entry.path());
    });
}

// Returns whether the path is this file or folder, or a copy of it; or in it, or a copy of a folder
// in it, where a task reads a folder for each class.
bool is_of_training(const fs::path& path, const fs::path& data, bool has_class_folders) {
    std::error_code ignored;  // what is not there is not read
    const fs::path inner = fs::canonical(path, ignored);
    const fs::path outer = fs::canonical(data, ignored);
    if (inner.empty() || outer.empty()) {
        return false;
    }
    if (inner == outer || have_same_content(inner, outer) || are_same_folders(inner, outer)) {
        return true;
    }
    const bool is_in = std::ranges::mismatch(outer, inner).in1 == outer.end();
    return has_class_folders && (is_in ? is_read_in(inner, outer) : has_copy_of(inner, outer));
}

// Returns the choice of the part of the data that the task takes in a training, `part =
// "training"`, also where nobody wrote it; "": it reads all of them.
std::string part_of(const experiment::Section& training, const plugin::Component& component,
                    const plugin::Catalog& catalog) {
    const plugin::Setting* part = plugin::find_purpose(component.settings, plugin::Purpose::kSplit);
    experiment::TaskEntry task = training.task;
    fix_split(task, catalog);
    const Value* chosen = part == nullptr ? nullptr : task.settings.find(part->name);
    const auto usual = part == nullptr ? std::nullopt : plugin::key_of(*part).default_value;
    chosen = chosen == nullptr && usual ? &*usual : chosen;
    return chosen == nullptr ? "" : fmt::format("{} = {}", part->name, inline_toml(*chosen));
}

// `part` is the choice of the part of the data; "": there is none.
std::string drawn_by(const std::optional<experiment::Sampler>& sampler, const std::string& part) {
    if (!sampler) {
        return part.empty() ? "each of its samples"
                            : fmt::format("the samples that {} selects", part);
    }
    if (const auto* split = sampler->get<experiment::Split>()) {
        return fmt::format("the share from {} to {} of its samples", split->share[0],
                           split->share[1]);
    }
    if (const auto* folds = sampler->get<experiment::Folds>(); folds != nullptr && folds->folds) {
        return fmt::format("all of its samples but those of one of {} folds", *folds->folds);
    }
    return fmt::format("those of its samples that a {} draws", sampler->type());
}

}  // namespace

std::string drawn_in_training(const experiment::Section& training, const fs::path& data,
                              const plugin::Catalog& catalog) {
    const plugin::Component* component = component_of(training.task, catalog);
    const bool has_class_folders =  // a folder for each class
        component != nullptr &&
        plugin::find_purpose(component->settings, plugin::Purpose::kClassNames) != nullptr;
    for (const Member& setting : training.task.settings.members()) {
        const auto is_path = [&](const plugin::Setting& declared) {
            return declared.name == setting.key && declared.type == plugin::SettingType::kPath;
        };
        if (component == nullptr || std::ranges::none_of(component->settings, is_path)) {
            continue;
        }
        const Value& value = setting.value;
        for (const Value& item : value.is_list() ? value.items() : std::vector{value}) {
            const auto path = item.is_string() && !item.as_string().empty()
                                  ? path_from(item.as_string(), item.place(), fs::path())
                                  : std::nullopt;
            if (path && is_of_training(data, *path, has_class_folders)) {
                return drawn_by(training.sampler, part_of(training, *component, catalog));
            }
        }
    }
    return "";
}

}  // namespace ptp::pipeline
