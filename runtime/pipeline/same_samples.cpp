// Compares the samples of two sections: the files that their tasks read, and what samplers draw.
// Warns of those that are trained on, or choose the weights, and are measured again.

#include "base/ranges.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/assemble.hpp"
#include "pipeline/data_folders.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/stages.hpp"
#include "pipeline/table_rows.hpp"
#include "pipeline/task_data.hpp"
#include "plugin/purpose.hpp"
#include "plugin/setting_key.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::pipeline {

namespace fs = std::filesystem;
using experiment::Section;

bool takes_all(const Section& section) {
    return !section.sampler || (section.sampler->get<experiment::Split>() == nullptr &&
                                section.sampler->get<experiment::Folds>() == nullptr &&
                                section.sampler->get<experiment::Subset>() == nullptr);
}

bool meet_requirements(const plugin::Component& component,
                       const std::vector<std::optional<Value>>& values) {
    const Settings settings{component, values};
    return std::ranges::all_of(component.requirements, [&](const plugin::Requirement& one) {
        return !holds(parse_condition(one.when), settings) ||
               holds(parse_relation(one.relation), settings, FormulaScope()).value_or(true);
    });
}

std::optional<std::string> part_of_training(const Node& task, std::size_t setting) {
    const auto& declared = *task.component;
    const auto choice = choice_of_training(declared.settings[setting]);
    if (!choice) {
        return std::nullopt;
    }
    auto values = task.settings;
    values[setting].emplace(*choice);
    return meet_requirements(declared, values) ? choice : std::nullopt;
}

std::string written_table(const plugin::Setting& table, const Value& value) {
    Value shown = value;
    for (const plugin::Setting& member : table.members) {
        const Value* const found = shown.find(member.name);
        if (found != nullptr && plugin::key_of(member).default_value == *found) {
            shown.erase(member.name);
        }
    }
    return inline_toml(shown);
}

namespace {

// Returns whether the setting is the path of a file that another setting of the task names.
bool restates_file(const Node& task, std::size_t setting) {
    const auto& declared = task.component->settings;
    for (std::size_t i = 0; i < declared.size(); ++i) {
        if (i != setting && task.settings[setting] && task.settings[i] == task.settings[setting] &&
            declared[i].type == plugin::SettingType::kPath) {
            return declared[setting].type == plugin::SettingType::kPath;
        }
    }
    return false;
}

// Returns whether both read the same files, and differ at most in how they prepare samples, in
// switches that leave the samples as they are, and in whether they publish their words; `one` is
// the task of the training. A task that makes up its samples makes others in each section, and one
// may take the part of the data from the section's name where it is not set.
bool have_same_samples(const Node& one, const Node& other) {
    const auto& declared = one.component->settings;
    bool has_files = false;
    for (std::size_t i = 0; i < declared.size(); ++i) {
        const auto part = one.settings[i] ? std::nullopt : part_of_training(one, i);
        if (part && other.settings[i] == std::optional(Value(*part))) {
            continue;  // the other section names the part of the training
        }
        const bool is_different = one.settings[i] != other.settings[i] &&
                                  (one.settings[i] || !restates_file(other, i)) &&
                                  (other.settings[i] || !restates_file(one, i));
        const bool is_beside = declared[i].is_preparation ||
                               declared[i].purpose == plugin::Purpose::kVocabulary ||
                               leaves_samples(declared[i], *one.component);
        if (part || (is_different && !is_beside)) {
            return false;
        }
        has_files = has_files ||
                    (declared[i].type == plugin::SettingType::kPath && one.settings[i].has_value());
    }
    return has_files;
}

// Returns whether both tasks read the same files, of a task that can divide samples.
bool reads_same_files(const Node& training, const Node& other) {
    const auto& declared = training.component->settings;
    for (std::size_t i = 0; i < declared.size(); ++i) {
        if (declared[i].type == plugin::SettingType::kPath &&
            training.settings[i] != other.settings[i] && !restates_file(other, i) &&
            !restates_file(training, i)) {
            return false;
        }
    }
    return plugin::find_purpose(declared, plugin::Purpose::kSplit) != nullptr;
}

// Returns what `other` has if it reads the files of the training and does not divide their rows as
// the training does, so that it may have rows that are trained on; nullopt otherwise.
std::optional<Explanation> other_division(const Node& training, const Node& other) {
    const auto& declared = training.component->settings;
    const auto* const part = plugin::find_purpose(declared, plugin::Purpose::kSplit);
    std::optional<std::size_t> divided;  // the setting for the division of the rows
    for (std::size_t i = 0; i < declared.size(); ++i) {
        if (declared[i].type == plugin::SettingType::kTable && !declared[i].is_preparation &&
            training.settings[i] != other.settings[i] && training.settings[i]) {
            divided = i;
        }
    }
    if (!reads_same_files(training, other) || !divided) {
        return std::nullopt;
    }
    const std::string name = toml_key(declared[*divided].name);
    const std::string right = fmt::format(
        "write {} = {}", name, written_table(declared[*divided], *training.settings[*divided]));
    if (other.settings[*divided]) {
        return Explanation{
            fmt::format("its {} = {} divides the rows otherwise than that of [{}], so that it may "
                        "have rows that are trained on",
                        name, written_table(declared[*divided], *other.settings[*divided]),
                        training.section),
            fmt::format("{} in {}", right, other.path)};
    }
    return Explanation{
        fmt::format("has all rows of the file, also those that [{}] trains on", training.section),
        fmt::format("{} and {} = \"{}\" in {}", right, toml_key(part->name),
                    other.section.substr(0, other.section.find('.')), other.path)};
}

// Returns whether the task divides its rows into parts.
bool is_in_parts(const Node& task) {
    return std::ranges::any_of(task.component->settings, [&](const plugin::Setting& one) {
        return one.type == plugin::SettingType::kTable && !one.is_preparation &&
               checked_settings(task).find(one.name) != nullptr;
    });
}

}  // namespace

void warn_of_division(const Assembly& assembly, const Section& section, const Node& other,
                      Diagnostics& problems) {
    const Node& training = assembly.tasks.front().node;
    const Section& trained = assembly.experiment->training;
    const bool is_trained = assembly.processed.empty();
    if (const auto division = other_division(training, other)) {
        return warn(other, *division, problems);
    }
    const bool is_divided = reads_same_files(training, other) &&
                            (is_in_parts(training) || (!takes_all(trained) && !takes_all(section)));
    const auto rows =
        is_divided ? other_rows(training, section, other, *assembly.catalog) : std::nullopt;
    if (rows && is_trained) {
        problems.error(other.place, other.path, *rows);
    } else if (rows) {
        warn(other, *rows, problems);
    }
}

void warn_of_processed(const Assembly& assembly, Diagnostics& problems) {
    const Section& training = assembly.experiment->training;
    for (const Draft& draft : assembly.tasks) {
        const Node& task = draft.node;
        const Section* const section = experiment::find_section(*assembly.experiment, task.section);
        if (assembly.runs(task.section) && draft.is_sound && section != nullptr &&
            section->name != training.name && assembly.tasks.front().is_sound &&
            task.component == assembly.tasks.front().node.component) {
            warn_of_division(assembly, *section, task, problems);
        }
    }
}

std::optional<Explanation> lost_share(const Section& training, const Section& section,
                                      const Node& other, const plugin::Catalog& catalog) {
    const auto& declared = other.component->settings;
    const auto* const part = plugin::find_purpose(declared, plugin::Purpose::kSplit);
    const auto settings = checked_settings(other);
    const Value* const chosen = part == nullptr ? nullptr : settings.find(part->name);
    const std::string name =
        chosen == nullptr ? section.name.substr(0, section.name.find('.')) : chosen->as_string();
    const auto place = part == nullptr
                           ? std::ptrdiff_t{0}
                           : std::ranges::find(part->choices, name) - part->choices.begin();
    const Value* share = nullptr;
    std::string table;
    std::optional<Value> file;
    for (std::size_t i = 0; i < declared.size() && part != nullptr; ++i) {
        const std::optional<Value>& value = other.settings[i];
        const Value* const shares = value && declared[i].type == plugin::SettingType::kTable
                                        ? value->find("shares")
                                        : nullptr;
        if (shares != nullptr && shares->is_list() &&
            place < static_cast<std::ptrdiff_t>(shares->items().size())) {
            share = &shares->items()[static_cast<std::size_t>(place)];
            table = declared[i].name;
        }
        if (is_source(declared[i]) && has_samples(declared[i], declared) && value &&
            value->is_string()) {
            file = value;
        }
    }
    if (share == nullptr || !file ||
        !drawn_in_training(training, file->as_string(), catalog).empty()) {
        return std::nullopt;
    }
    const auto rows = static_cast<double>(rows_of_table(section, catalog));
    if (rows == 0) {
        return std::nullopt;  // the table cannot be read, which is reported otherwise
    }
    const auto removal = [&](const std::string& key) {
        return file->place().file() == kCommandLine
                   ? fmt::format("--set {}.{}=none", other.path, key)
                   : fmt::format("{}", toml_key(key));
    };
    const std::string also = chosen == nullptr ? "" : removal(part->name);
    return Explanation{
        fmt::format("its {} divides the rows of its own {}, too, and leaves out about "
                    "{:.0f} of {:.0f}",
                    table, fs::path(file->as_string()).filename().string(),
                    rows * (1 - share->as_real()), rows),
        file->place().file() == kCommandLine
            ? fmt::format("{}{}{}", removal(table), also.empty() ? "" : " ", also)
            : fmt::format("remove {}{}{} from {}", removal(table), also.empty() ? "" : " and ",
                          also, other.path)};
}

namespace {

bool is_range(const experiment::Subset& subset) {
    return subset.indices->values.size() == 2;
}

// Ranges are not written out, because they may be long.
std::int64_t common_samples(const experiment::Subset& one, const experiment::Subset& other) {
    if (!is_range(one)) {
        const auto& more = other.indices->values;
        return std::ranges::count_if(one.indices->values, [&](std::int64_t index) {
            return is_range(other) ? index >= more[0] && index < more[1] : contains(more, index);
        });
    }
    if (!is_range(other)) {
        return common_samples(other, one);
    }
    const auto& left = one.indices->values;
    const auto& right = other.indices->values;
    return std::max<std::int64_t>(0, std::min(left[1], right[1]) - std::max(left[0], right[0]));
}

// Returns the way in which a sampler chooses among the samples: by shares 0, folds 1, indices 2.
int way_of(const Section& section) {
    return section.sampler->get<experiment::Split>() != nullptr   ? 0
           : section.sampler->get<experiment::Folds>() != nullptr ? 1
                                                                  : 2;
}

// Names the samples that both have, of sections with the same data: "" where there are none, or
// where the sections themselves are refused or warned of.
std::string common_samples_text(const Section& one, const Section& other) {
    const bool is_training = experiment::role_of(one.name) == "training";
    if (takes_all(one)) {
        return fmt::format("the samples of [{}], which {}", one.name,
                           is_training ? "are all trained on" : "choose the best weights");
    }
    const std::string used = fmt::format("the samples that [{}] {}", one.name,
                                         is_training ? "trains on" : "chooses the best weights by");
    const auto* trained = one.sampler->get<experiment::Subset>();
    const auto* subset = other.sampler ? other.sampler->get<experiment::Subset>() : nullptr;
    if (trained != nullptr && subset != nullptr && trained->indices && subset->indices) {
        const std::int64_t count = common_samples(*trained, *subset);
        return count == 0 ? "" : fmt::format("{} of {}", count, used);
    }
    const auto* split = one.sampler->get<experiment::Split>();
    const auto* other_split = other.sampler ? other.sampler->get<experiment::Split>() : nullptr;
    // Sections with equal tasks are refused with such shares.
    const bool is_seen = one.task.settings == other.task.settings;
    if (split != nullptr && other_split != nullptr && !is_seen) {
        const auto is_stratified = [](const Section& section) {
            return section.sampler->get<experiment::Classes>() != nullptr;
        };
        if (split->seed != other_split->seed) {
            return fmt::format("some of {}, whose seed is {}", used, split->seed);
        }
        if (is_stratified(one) != is_stratified(other)) {
            return fmt::format("some of {}, with a {}", used, one.sampler->type());
        }
        if (split->share[0] < other_split->share[1] && other_split->share[0] < split->share[1]) {
            return fmt::format("some of {}, whose share is [{}, {}]", used, split->share[0],
                               split->share[1]);
        }
    }
    if (!takes_all(other) && way_of(one) != way_of(other)) {
        return fmt::format("some of {}: its {} knows nothing of the {} there", used,
                           other.sampler->type(), one.sampler->type());
    }
    return takes_all(other) ? used : "";
}

// Returns "part = "validation"" for a task that has set another part of the data; "" where no part
// is named after the section.
std::string part_of_section(const Node& task) {
    const auto& declared = task.component->settings;
    const auto* const part = plugin::find_purpose(declared, plugin::Purpose::kSplit);
    const std::string section = task.section.substr(0, task.section.find('.'));
    if (part == nullptr || checked_settings(task).find(part->name) == nullptr ||
        !contains(part->choices, section)) {
        return "";
    }
    return fmt::format("{} = \"{}\"", toml_key(part->name), section);
}

// Returns whether it reads files of the user's: a known data set, which is in a folder by default,
// may have no third part.
bool has_own_files(const Node& task) {
    const auto& declared = task.component->settings;
    return std::ranges::any_of(declared, [&](const plugin::Setting& one) {
        return one.type == plugin::SettingType::kPath && !one.default_value &&
               checked_settings(task).find(one.name) != nullptr;
    });
}

}  // namespace

bool warn_of_samples(const Assembly& assembly, const Section& used, const Section& section,
                     Diagnostics& problems) {
    const Node& its = assembly.task_of(used.name)->node;
    const Node& other = assembly.task_of(section.name)->node;
    const std::string samples =
        have_same_samples(its, other) ? common_samples_text(used, section) : "";
    if (samples.empty()) {
        return false;
    }
    const char* remedy = takes_all(used) ? "read other data, or give [{}] and [{}] a "
                                           "RandomSplitSampler with shares that do not overlap"
                                         : "read other data, or give [{1}] a sampler with samples "
                                           "that [{0}] leaves out";
    const std::string part = part_of_section(other);
    const bool is_training = used.name == "training";
    const std::string parts = is_training ? fix_of_parts(its, other) : "";
    const bool is_split_advised = is_training && takes_all(used) && !is_in_parts(its);
    const std::string split = is_split_advised ? fix_of_split(assembly) : "";
    warn(other,
         {fmt::format("has {}, so that what is measured here says little about new data", samples),
          !parts.empty()   ? parts
          : !split.empty() ? split
          : part.empty()   ? fmt::format(fmt::runtime(remedy), used.name, other.section)
                           : fmt::format("set {} in {}", part, other.path)},
         problems);
    return true;
}

void warn_of_tests(const Assembly& assembly, const std::vector<const Section*>& sections,
                   Diagnostics& problems) {
    const auto task_as = [&](const char* role, const Section& section) {
        const Draft* const task = assembly.task_of(section.name);
        const bool is_one = experiment::role_of(section.name) == role && task != nullptr &&
                            task->is_sound && has_own_files(task->node);
        return is_one ? &task->node : nullptr;
    };
    for (const Section* test : sections) {
        for (const Section* validation : sections) {
            const Node* const tested = task_as("test", *test);
            const Node* const its = task_as("validation", *validation);
            if (tested != nullptr && its != nullptr && its->component == tested->component &&
                warn_of_samples(assembly, *validation, *test, problems)) {
                break;
            }
        }
    }
}

}  // namespace ptp::pipeline
