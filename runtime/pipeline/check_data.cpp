// Facts about data and files that are known before anything is read: how many samples a task has,
// which files components write, and which must be there.

#include "pipeline/stages.hpp"

#include "base/shell_words.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "experiment/experiment.hpp"
#include "experiment/familiar_names.hpp"
#include "experiment/sampler.hpp"
#include "experiment/weights_file.hpp"
#include "pipeline/data_folders.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/settings.hpp"
#include "pipeline/sizes.hpp"
#include "pipeline/table_rows.hpp"
#include "schema/check_value.hpp"
#include "schema/key_path.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <vector>

namespace ptp::pipeline {

namespace {

// The reading does not require them, because `ptprun cv` sets them afterwards.
void require_folds(const experiment::Section& section, Diagnostics& problems) {
    const auto* folds = section.sampler ? section.sampler->get<experiment::Folds>() : nullptr;
    if (folds == nullptr || (folds->folds && folds->fold)) {
        return;
    }
    const char* missing = folds->folds ? "fold" : folds->fold ? "folds" : "folds and fold";
    problems.error(
        section.sampler->place, section.name + ".sampler",
        Explanation{fmt::format("{} has no {}", section.sampler->type(), missing),
                    "folds = 5, fold = 0 holds out the first of five parts; ptprun cv, and --fold "
                    "0/5, give both by themselves"});
}

// A setting that names files, and the files that will be written.
struct NamedFiles {
    const Draft* draft = nullptr;
    std::string setting;
    const Value* value = nullptr;
    std::vector<std::string> files;  // empty: not known
};

// Returns the files that a setting `format` decides: NAME.csv, NAME.jsonl, or NAME.STREAM.npy for
// each stream.
std::vector<std::string> files_of(const Draft& draft, const std::string& given) {
    const Value* format = checked_settings(draft.node).find("format");
    const std::string form =
        format != nullptr && format->is_string() ? format->as_string() : std::string();
    const std::string name = given.empty() ? draft.node.name : given;
    if (form == "npy") {
        return transformed(draft.node.inputs, [&](const Binding& input) {
            return fmt::format("{}.{}.npy", name, input.wire.stream);
        });
    }
    const std::string ending = form == "csv" ? ".csv" : form == "json_lines" ? ".jsonl" : "";
    if (given.empty() && ending.empty()) {
        return {};
    }
    return {given.empty() ? name + ending : given};
}

std::vector<NamedFiles> named_files(const Assembly& assembly) {
    std::vector<NamedFiles> result;
    for (const Draft& draft : assembly.components) {
        if (!draft.is_sound) {
            continue;
        }
        const auto& declared = draft.node.component->settings;
        for (std::size_t i = 0; i < declared.size(); ++i) {
            const auto& value = draft.node.settings[i];
            if (!declared[i].is_output_file || !value || !value->is_string()) {
                continue;
            }
            result.push_back(
                {&draft, declared[i].name, &*value, files_of(draft, value->as_string())});
        }
    }
    return result;
}

// Returns a file that both write; "" if there is none.
std::string common_file(const NamedFiles& left, const NamedFiles& right) {
    const auto common = std::ranges::find_if(
        left.files, [&](const std::string& file) { return contains(right.files, file); });
    return left.setting != right.setting || common == left.files.end() ? "" : *common;
}

}  // namespace

void check_samples(const Assembly& assembly, Diagnostics& problems) {
    for (const experiment::Section* section : experiment::all_sections(*assembly.experiment)) {
        if (!assembly.runs(section->name)) {
            continue;
        }
        require_folds(*section, problems);
        const Draft* const task = assembly.task_of(section->name);
        if (task == nullptr || !task->is_sound) {
            continue;
        }
        const std::int64_t count = declared_sample_count(task->node).value_or(0);
        const auto* folds = section->sampler ? section->sampler->get<experiment::Folds>() : nullptr;
        // One option is one mistake, which [training] has too.
        const bool is_repeated =
            folds != nullptr && folds->is_from_option && folds->part != "training";
        if (count < 1 || is_repeated) {
            continue;
        }
        if (const auto problem = experiment::sampler_problem(*section, count)) {
            problems.error(problem->place, problem->key, problem->message);
        }
    }
}

void check_output_files(const Assembly& assembly, Diagnostics& problems) {
    const std::vector<NamedFiles> all = named_files(assembly);
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            const std::string file = common_file(all[i], all[k]);
            if (file.empty()) {
                continue;
            }
            // Reported for the one that has a name.
            const bool is_named = !all[i].value->as_string().empty();
            const NamedFiles& said = is_named ? all[i] : all[k];
            const NamedFiles& other = is_named ? all[k] : all[i];
            problems.error(*said.value, fmt::format("{}.{}", said.draft->node.path, said.setting),
                           fmt::format("'{}' writes the file '{}' already; choose another name",
                                       other.draft->node.name, file));
        }
    }
}

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
    for (fs::directory_iterator entry(parent, ignored), end; !ignored && entry != end;
         entry.increment(ignored)) {
        names.push_back(entry->path().filename().string());
    }
    const auto found = nearest(name.string(), names);
    const fs::path named = parent / found.value_or("");
    const fs::path meant = rest.empty() ? named : named / rest;
    return found && is_there(meant) ? meant.lexically_normal().string() : "";
}

class SettingFiles {
public:
    // Files in `known` are those whose content a checkpoint has; the first source is read anyway.
    SettingFiles(const Node& node, const std::set<std::string>& known, Diagnostics& problems)
        : node_(node), known_(known), problems_(problems) {}

    void check() {
        const auto& declared = node_.component->settings;
        const plugin::Setting* unlabeled = nullptr;
        for (std::size_t i = 0; i < declared.size(); ++i) {
            if (node_.settings[i] && declared[i].takes_unlabeled) {
                unlabeled = &declared[i];
            }
        }
        bool is_first = true;
        for (std::size_t i = 0; i < declared.size(); ++i) {
            const bool may_name_files =
                !declared[i].obtain.empty() || declared[i].type == plugin::SettingType::kTable;
            const auto& value = node_.settings[i];
            const bool is_source_file = value && value->is_string() && is_source(declared[i]);
            const bool is_known =
                is_source_file && !is_first && known_.contains(value->as_string());
            is_first = is_first && !is_source_file;
            if (may_name_files && value && !is_known && is_read(declared[i], unlabeled)) {
                check(declared[i], *value, schema::below(node_.path, declared[i].name));
            }
        }
    }

private:
    void check(const plugin::Setting& setting, const Value& value, const std::string& key) {
        if (value.is_list()) {
            for (std::size_t i = 0; i < value.items().size(); ++i) {
                check(setting, value.items()[i], fmt::format("{}[{}]", key, i));
            }
        } else if (setting.type == plugin::SettingType::kTable && value.is_table()) {
            for (const plugin::Setting& member : setting.members) {
                if (const Value* inner = value.find(member.name)) {
                    check(member, *inner, schema::below(key, member.name));
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
        const std::string typed = inline_toml(Value(typed_path(near, value.place())));
        problems_.missing_data(
            is_default ? node_.place : value.place(), key,
            fmt::format("no such file or folder: {}{}; {}", path, is_default ? ", the default" : "",
                        near.empty() ? setting.obtain : "did you mean " + near + "?"),
            near.empty() || is_default             ? ""
            : value.place().file() == kCommandLine ? schema::typed_value(value.place(), key, typed)
                                                   : "write " + typed);
    }

    const Node& node_;
    const std::set<std::string>& known_;
    Diagnostics& problems_;
};

// Returns the files of the training's task.
std::set<std::string> files_of_training(const Assembly& assembly) {
    std::set<std::string> files;
    for (const Member& one : assembly.experiment->training.task.settings.members()) {
        if (one.value.is_string()) {
            files.insert(one.value.as_string());
        }
    }
    return files;
}

bool has_weights(const fs::path& path) {
    return experiment::why_no_weights(experiment::weights_file(path)).empty();
}

// Returns whether a run in the folder has weights.
bool has_run(const fs::path& folder) {
    std::error_code ignored;  // what cannot be read has none
    return std::ranges::any_of(fs::directory_iterator(folder, ignored), has_weights);
}

// Returns the run, folder or file that a misspelled name in the experiment, or a folder of runs,
// probably means, as it is typed there; "" if none is near. The last part of DIGITS/last is not a
// file.
std::string near_load(const experiment::Load& load) {
    if (has_run(load.from)) {
        return load.written + "/last";
    }
    const fs::path written = load.written;
    const std::string last = written.filename().string();
    const bool is_of_runs = written.has_parent_path() && (last == "last" || last == "best");
    const fs::path name = is_of_runs ? written.parent_path() : written;
    std::error_code ignored;  // then nothing is near
    const fs::path folder = fs::absolute(load.place.file(), ignored).parent_path();
    for (const fs::path& place : {folder, folder / "runs"}) {  // as kRunsFolder of run/resolve.hpp
        const fs::path near = near_path((place / name).lexically_normal());
        if (!near.empty() && !name.empty() && (is_of_runs ? has_run(near) : has_weights(near))) {
            const fs::path typed = name.is_absolute() ? near : near.lexically_relative(place);
            return (is_of_runs ? typed / last : typed).string();
        }
    }
    return "";
}

// Returns "; known: pretrained/last", the last run of each experiment in the folder of runs, or "".
std::string known_runs(const experiment::Load& load) {
    std::vector<std::string> names;
    std::error_code ignored;  // what cannot be read has none
    const fs::path folder = fs::absolute(load.place.file(), ignored).parent_path() / "runs";
    for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end;
         entry.increment(ignored)) {
        if (has_run(entry->path())) {
            names.push_back(entry->path().filename().string() + "/last");
        }
    }
    std::ranges::sort(names);
    return hint("", names, "ptprun runs lists all");
}

void check_load(const experiment::Load& load, const std::string& path, Diagnostics& problems) {
    const fs::path file = experiment::weights_file(load.from);
    if (!is_there(file)) {
        const std::string near = near_load(load);
        const bool is_published =
            has_word("default imagenet imagenet1k true", folded(load.written));
        problems.missing_data(
            load.place, path + ".load",
            fmt::format("no such file or folder: {}; {}",
                        fs::absolute(file).lexically_normal().string(),
                        near.empty() ? "name a run's folder, a checkpoint's folder or a file of "
                                       "weights" +
                                           known_runs(load)
                                     : "did you mean " + near + "?"),
            near.empty() ? (is_published ? std::string(experiment::kPublishedWeights) : "")
            : load.place.file() == kCommandLine
                ? schema::typed_value(load.place, path + ".load", inline_toml(Value(near)))
                : "write " + inline_toml(Value(near)));
    } else if (const std::string why = experiment::why_no_weights(file); !why.empty()) {
        problems.missing_data(load.place, path + ".load", fmt::format("{} {}", file.string(), why));
    }
}

}  // namespace

void check_setting_files(const Assembly& assembly, bool has_checkpoint, Diagnostics& problems) {
    const std::set<std::string> known =
        has_checkpoint ? files_of_training(assembly) : std::set<std::string>();
    for (const Draft& draft : assembly.tasks) {
        if (assembly.runs(draft.node.section)) {
            SettingFiles(draft.node, known, problems).check();
        }
    }
    for (const Draft& draft : assembly.components) {
        SettingFiles(draft.node, {}, problems).check();
    }
}

void check_loaded_files(const experiment::Experiment& experiment, Diagnostics& problems) {
    const std::optional<experiment::Load>& whole = experiment.pipeline.load;
    if (whole) {
        check_load(*whole, "pipeline", problems);
    }
    for (const experiment::ComponentEntry& entry : experiment.pipeline.components) {
        if (!entry.is_enabled || !entry.load) {
            continue;
        }
        check_load(*entry.load, entry.path, problems);
        // The one in the file may have been forgotten where the whole one is in the command.
        if (whole && whole->place.file() == kCommandLine &&
            entry.load->place.file() != kCommandLine) {
            problems.warning(
                whole->place, "pipeline.load",
                Explanation{
                    fmt::format("does not reach {}, which has a load of its own, of {}", entry.path,
                                entry.load->from.string()),
                    "--set " + shell_word(fmt::format("{}.load={}", entry.path,
                                                      inline_toml(Value(whole->written))))});
        }
    }
}

}  // namespace ptp::pipeline
