// The files and folders that must be there before a run can begin.
#include "pipeline/stages.hpp"

#include "base/suggest.hpp"
#include "base/toml_writer.hpp"
#include "experiment/weights_file.hpp"
#include "pipeline/settings.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace ptp::pipeline {

namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
    std::error_code ignored;  // what cannot be looked at cannot be read either
    return fs::exists(path, ignored);
}

// Returns the file or folder that a misspelled path probably means; "" if none is near.
std::string near_path(const fs::path& path) {
    fs::path parent = path.parent_path();
    fs::path name = path.filename();
    fs::path rest;
    while (!is_there(parent) && parent.has_relative_path()) {
        rest = rest.empty() ? name : name / rest;
        name = parent.filename();
        parent = parent.parent_path();
    }
    std::vector<std::string> names;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(parent, ignored)) {
        names.push_back(entry.path().filename().string());
    }
    const auto found = nearest(name.string(), names);
    const fs::path named = parent / found.value_or("");
    const fs::path meant = rest.empty() ? named : named / rest;
    return found && is_there(meant) ? meant.lexically_normal().string() : "";
}

class SettingFiles {
public:
    SettingFiles(const Node& node, Diagnostics& problems) : node_(node), problems_(problems) {}

    void check() {
        const auto& declared = node_.component->settings;
        const plugin::Setting* unlabeled = nullptr;
        for (std::size_t i = 0; i < declared.size(); ++i) {
            if (node_.settings[i] && declared[i].takes_unlabeled) {
                unlabeled = &declared[i];
            }
        }
        for (std::size_t i = 0; i < declared.size(); ++i) {
            const bool may_name_files =
                !declared[i].obtain.empty() || declared[i].type == plugin::SettingType::kTable;
            if (may_name_files && node_.settings[i] && is_read(declared[i], unlabeled)) {
                check(declared[i], *node_.settings[i], key_below(node_.path, declared[i]));
            }
        }
    }

private:
    static std::string key_below(const std::string& path, const plugin::Setting& setting) {
        return path + "." + toml_key(setting.name);
    }

    void check(const plugin::Setting& setting, const Value& value, const std::string& key) {
        if (value.is_list()) {
            for (std::size_t i = 0; i < value.items().size(); ++i) {
                check(setting, value.items()[i], fmt::format("{}[{}]", key, i));
            }
        } else if (setting.type == plugin::SettingType::kTable && value.is_table()) {
            for (const plugin::Setting& member : setting.members) {
                if (const Value* inner = value.find(member.name)) {
                    check(member, *inner, key_below(key, member));
                }
            }
        } else if (!setting.obtain.empty() && value.is_string()) {
            check_path(setting, value, key);
        }
    }

    void check_path(const plugin::Setting& setting, const Value& value, const std::string& key) {
        const std::string& path = value.as_string();
        if (path.empty() || is_there(path)) {
            return;
        }
        const bool is_default = value.place().text().empty();
        const std::string near = near_path(path);
        problems_.missing_data(
            is_default ? node_.place : value.place(), key,
            fmt::format("no such file or folder: {}{}; {}", path, is_default ? ", the default" : "",
                        near.empty() ? setting.obtain : "did you mean " + near + "?"));
    }

    const Node& node_;
    Diagnostics& problems_;
};

void check_load(const experiment::Load& load, const std::string& path, Diagnostics& problems) {
    const fs::path file = experiment::weights_file(load.from);
    if (!is_there(file)) {
        problems.missing_data(
            load.place, path + ".load",
            fmt::format("no such file or folder: {}; name a run's folder, a checkpoint's folder "
                        "or a file of weights",
                        fs::absolute(file).lexically_normal().string()));
    } else if (const std::string why = experiment::why_no_weights(file); !why.empty()) {
        problems.missing_data(load.place, path + ".load", fmt::format("{} {}", file.string(), why));
    }
}

}  // namespace

void check_setting_files(const Assembly& assembly, const std::vector<std::string>& processed,
                         Diagnostics& problems) {
    for (const Draft& draft : assembly.tasks) {
        if (processed.empty() ||
            std::ranges::find(processed, draft.node.section) != processed.end()) {
            SettingFiles(draft.node, problems).check();
        }
    }
    for (const Draft& draft : assembly.components) {
        SettingFiles(draft.node, problems).check();
    }
}

void check_loaded_files(const experiment::Experiment& experiment, Diagnostics& problems) {
    if (experiment.pipeline.load) {
        check_load(*experiment.pipeline.load, "pipeline", problems);
    }
    for (const experiment::ComponentEntry& entry : experiment.pipeline.components) {
        if (entry.is_enabled && entry.load) {
            check_load(*entry.load, entry.path, problems);
        }
    }
}

}  // namespace ptp::pipeline
