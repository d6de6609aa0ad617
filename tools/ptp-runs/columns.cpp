// The values of runs by column, and which settings distinguish runs.

#include "ptp-runs/columns.hpp"

#include "base/duration.hpp"
#include "base/explanation.hpp"
#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "common/command.hpp"
#include "experiment/familiar_names.hpp"
#include "experiment/load/override.hpp"
#include "experiment/possible_keys.hpp"
#include "run/checkpoint_record.hpp"
#include "run/paths.hpp"
#include "schema/key_path.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string_view>

namespace ptp::runs {

using namespace run;

std::string problem_of(const Run& run) {
    const auto lost = run.problem.empty() ? unsaved_best_epoch(run) : std::nullopt;
    return lost ? fmt::format("the weights of epoch {} were not saved", *lost) : run.problem;
}

namespace {

constexpr std::string_view kTrainingSet = "training";
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::optional<Value> text(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional<Value>(text);
}

std::optional<Value> loss_of(const std::optional<Measurement>& measured) {
    return measured ? std::optional<Value>(measured->loss.value_or(kNan)) : std::nullopt;
}

std::optional<Value> statistic_of(const std::optional<Measurement>& measured,
                                  const std::string& name) {
    if (!measured) {
        return std::nullopt;
    }
    for (const auto& [key, value] : measured->statistics) {
        if (key == name) {
            return Value(value.value_or(kNan));
        }
    }
    return std::nullopt;
}

// A trial that its search has left at the end of a rung, as it had asked for.
bool is_halved(const Run& run) {
    return run.state == "stopped" && run.reason == kStopAfterReason &&
           std::filesystem::exists(run.folder.parent_path() / kSearchFile);
}

std::optional<Value> epoch_of(const std::optional<Measurement>& measured) {
    return measured ? std::optional<Value>(measured->epoch) : std::nullopt;
}

struct Fact {
    std::string_view name;
    std::optional<Value> (*of)(const Run& run);
    bool is_measured = false;
};

constexpr Fact kFacts[] = {
    {"run", [](const Run& run) { return text(run.folder.string()); }},
    {"experiment", [](const Run& run) { return text(run.experiment); }},
    {"state", [](const Run& run) { return text(is_halved(run) ? "halved" : run.state); }},
    {"reason", [](const Run& run) { return text(run.reason); }},
    {"set", [](const Run& run) { return text(run.best ? run.best->set : ""); }},
    {"loss", [](const Run& run) { return loss_of(run.best); }, true},
    {"epoch", [](const Run& run) { return epoch_of(run.best); }, true},
    {"last.loss", [](const Run& run) { return loss_of(run.last); }, true},
    {"episodes", [](const Run& run) { return std::optional<Value>(run.episode); }, true},
    {"seconds",
     [](const Run& run) { return run.seconds ? std::optional<Value>(*run.seconds) : std::nullopt; },
     true},
    {"trial", [](const Run& run) { return text(run.trial); }},
    {"tags", [](const Run& run) { return text(join(run.tags, ",")); }},
    {"note", [](const Run& run) { return text(run.note); }},
    {"problem", [](const Run& run) { return text(problem_of(run)); }},
    {"began", [](const Run& run) { return text(run.began); }}};

std::optional<Value> setting_of(const Value& settings, const std::string& path) {
    const auto parts = experiment::read_key_path(path);
    const Value* value = &settings;
    for (const std::string& part : parts.value_or(std::vector<std::string>())) {
        value = value == nullptr ? nullptr : value->find(part);
    }
    return value == nullptr || !parts ? std::nullopt : std::optional(*value);
}

bool is_end_of(const std::string& end, const std::string& path) {
    return path == end || path.ends_with("." + end);
}

// Paths of settings in any of the runs.
std::set<std::string> setting_paths(const std::vector<Run>& runs) {
    std::set<std::string> paths;
    for (const Run& run : runs) {
        for (const auto& [path, value] : schema::flat(run.settings)) {
            paths.insert(path);
        }
    }
    return paths;
}

std::string last_part(const std::string& path) {
    return path.substr(path.rfind('.') + 1);
}

// The shortest end of a path that no other of the paths has.
std::string title_of(const std::string& path, const std::vector<std::string>& paths) {
    for (std::size_t dot = path.rfind('.'); dot != std::string::npos && dot > 0;
         dot = path.rfind('.', dot - 1)) {
        const std::string end = path.substr(dot + 1);
        const auto count = std::ranges::count_if(
            paths, [&](const std::string& other) { return is_end_of(end, other); });
        if (count == 1) {
            return end;
        }
    }
    return path;
}

std::vector<Column> titled(const std::vector<std::string>& paths) {
    std::vector<Column> columns;
    for (const std::string& path : paths) {
        columns.push_back({path, Source::kSettings, title_of(path, paths)});
    }
    return columns;
}

// Returns the part of "val_acc", a name of other programs, after the set of samples.
std::string_view without_set(std::string_view key) {
    for (const std::string_view set : {"val_", "valid_", "validation_", "validation.", "test_",
                                       "test.", "train_", "training.", "train."}) {
        if (key.starts_with(set)) {
            return key.substr(set.size());
        }
    }
    return key;
}

// Returns which set the values of runs are measured on, where another one is asked for.
std::string why_no_set(const std::string& key, const std::vector<std::string>& statistics) {
    const std::string_view statistic = without_set(key);
    const bool is_other = key.starts_with("test") || key.starts_with("train");
    return is_other && statistic != key && contains(statistics, statistic)
               ? fmt::format(
                     "; '{}' is that of the best validation, and other sets are in the {} of "
                     "each run",
                     statistic, key.starts_with("test") ? kTestTable : kTrainingEpochsTable)
               : "";
}

[[noreturn]] void refuse_unknown(const std::string& key, const std::vector<Run>& runs) {
    constexpr std::size_t kMaxMeant = 3;
    std::set<std::string> known = {kTime.title};
    for (const Fact& fact : kFacts) {
        known.emplace(fact.name);
    }
    std::vector<std::string> statistics = {"loss"};
    for (const Column& column : statistics_of(runs)) {
        known.insert(column.name);
        statistics.push_back(column.name);
    }
    const std::string type = key + ".type";
    for (const std::string& path : setting_paths(runs)) {
        known.insert(last_part(path));
        if (path.ends_with("." + type)) {
            known.insert(type);
        }
    }
    if (const std::string why = why_no_set(key, statistics); !why.empty()) {
        throw tools::UsageError(fmt::format("no run has '{}'{}", key, why));
    }
    const std::vector<std::string> names(known.begin(), known.end());
    const std::string familiar = last_part(experiment::familiar_key(key).value_or(""));
    const std::string statistic = experiment::statistic_of(key);  // "loss" for "val_loss"
    const auto near = known.contains(type)        ? std::optional(type)
                      : known.contains(familiar)  ? std::optional(familiar)
                      : known.contains(statistic) ? std::optional(statistic)
                                                  : nearest(key, names);
    std::vector<std::string> meant;
    std::ranges::copy_if(statistics, std::back_inserter(meant),
                         [&](const std::string& one) { return one.starts_with(key); });
    if (meant.empty()) {
        meant = near ? std::vector{*near} : most_alike(without_set(key), names, kMaxMeant);
    }
    throw tools::UsageError(
        fmt::format("no run has '{}'{}", key,
                    meant.empty() ? hint("", statistics, "`ptprun runs --json` has all keys")
                                  : fmt::format("; did you mean '{}'?", join(meant, "' or '"))));
}

// Returns the settings that differ, or that some runs lack, in the order in which they are
// met. Runs that have recorded no settings are ignored.
std::vector<std::string> differing_paths(const std::vector<Run>& runs) {
    std::vector<std::string> paths;
    std::map<std::string, std::vector<Value>> values;
    std::size_t run_count = 0;
    for (const Run& run : runs) {
        run_count += run.settings.members().empty() ? 0 : 1;
        for (const auto& [path, value] : schema::flat(run.settings)) {
            std::vector<Value>& known = values[path];
            if (known.empty()) {
                paths.push_back(path);
            }
            known.push_back(value);
        }
    }
    std::erase_if(paths, [&](const std::string& path) {
        const std::vector<Value>& known = values[path];
        const bool is_alike = known.size() == run_count &&
                              std::ranges::count(known, known.front()) == std::ssize(known);
        return is_alike || path == "name" || path == "pipeline.name";
    });
    return paths;
}

// Finds settings that only some runs have, all with the default: options of another optimizer or
// sampler, which do not distinguish runs.
class Defaults {
public:
    explicit Defaults(const std::vector<Run>& runs) : runs_(runs) {}

    bool has(const std::string& path) {
        std::optional<Value> common;
        const Run* first = nullptr;
        bool is_lacking = false;
        for (const Run& run : runs_) {
            const auto value = setting_of(run.settings, path);
            if (value && common && *value != *common) {
                return false;
            }
            is_lacking = is_lacking || !value;
            first = value && first == nullptr ? &run : first;
            common = value ? value : common;
        }
        if (!is_lacking || first == nullptr) {
            return false;
        }
        auto [keys, is_new] = keys_.try_emplace(first);
        if (is_new) {
            keys->second = experiment::possible_keys(first->settings);
        }
        const std::size_t dot = path.rfind('.');
        const schema::Key* const key =
            keys->second.find(dot == std::string::npos ? "" : path.substr(0, dot), last_part(path));
        return key != nullptr && key->default_value && *key->default_value == *common;
    }

private:
    const std::vector<Run>& runs_;
    std::map<const Run*, schema::KeyRecord> keys_;
};

}  // namespace

void add_column(std::vector<Column>& columns, Column column) {
    if (std::ranges::none_of(columns, [&](const auto& other) { return other.is_like(column); })) {
        columns.push_back(std::move(column));
    }
}

std::optional<Value> value_of(const Run& run, const Column& column) {
    switch (column.source) {
        case Source::kFacts:
            return std::ranges::find(kFacts, column.name, &Fact::name)->of(run);
        case Source::kBest:
            return statistic_of(run.best, column.name);
        case Source::kLast:
            return statistic_of(run.last, column.name);
        case Source::kSettings:
            break;
    }
    return setting_of(run.settings, column.name);
}

std::string cell_text(const Run& run, const Column& column) {
    if (column.is_like(kTime)) {
        return duration_text(run.seconds, DurationStyle::kTable);
    }
    const auto value = value_of(run, column);
    if (!value) {
        return "";
    }
    if (value->is_string()) {
        return plain(value->as_string());
    }
    return value->is_real() ? number_text(value->as_real()) : plain(inline_toml(*value));
}

Column find_column(const std::string& key, const std::vector<Run>& runs) {
    const std::string fact = key == kTime.title ? kTime.name : key;
    if (std::ranges::find(kFacts, fact, &Fact::name) != std::end(kFacts)) {
        return {fact, Source::kFacts, key};
    }
    const bool is_last = key.starts_with("last.");
    const Column statistic{is_last ? key.substr(5) : key, is_last ? Source::kLast : Source::kBest,
                           key};
    const auto has_it = [&](const Run& run) { return value_of(run, statistic).has_value(); };
    if (std::ranges::any_of(runs, has_it)) {
        return statistic;
    }
    const std::set<std::string> paths = setting_paths(runs);
    if (paths.contains(key)) {
        return {key, Source::kSettings};
    }
    std::vector<std::string> matches;
    std::ranges::copy_if(paths, std::back_inserter(matches),
                         [&](const std::string& path) { return is_end_of(key, path); });
    if (matches.empty()) {
        refuse_unknown(key, runs);
    }
    if (matches.size() > 1) {
        const std::string& first = *std::ranges::min_element(matches, {}, &std::string::size);
        throw tools::UsageError(
            Explanation{fmt::format("'{}' may be {}", key, joined(matches, "or")),
                        "write the whole key: " + first}
                .text());
    }
    return {matches.front(), Source::kSettings, key};
}

std::vector<Column> differing_settings(const std::vector<Run>& runs) {
    return titled(differing_paths(runs));
}

// If several settings have one last name and one value in each run, such as the fold of [training]
// and of [validation], the first remains.
std::vector<Column> varied_settings(const std::vector<Run>& runs) {
    std::map<std::string, std::vector<Run>> experiments;
    for (const Run& run : runs) {
        experiments[run.experiment].push_back(run);
    }
    std::set<std::string> varied;
    for (const auto& [name, some] : experiments) {
        for (const std::string& path : differing_paths(some)) {
            varied.insert(path);
        }
    }
    Defaults defaults(runs);
    std::vector<std::string> kept;
    for (const std::string& path : differing_paths(runs)) {
        const auto repeats = [&](const std::string& other) {
            return last_part(other) == last_part(path) &&
                   std::ranges::all_of(runs, [&](const Run& run) {
                       return setting_of(run.settings, other) == setting_of(run.settings, path);
                   });
        };
        if (varied.contains(path) && !defaults.has(path) && std::ranges::none_of(kept, repeats)) {
            kept.push_back(path);
        }
    }
    return titled(kept);
}

bool is_measured(const Column& column) {
    return column.source == Source::kFacts
               ? std::ranges::find(kFacts, column.name, &Fact::name)->is_measured
               : column.source != Source::kSettings;
}

bool is_of_training(const Run& run, const Column& column) {
    const bool is_best = column.source == Source::kBest || column.is_like({"loss"});
    return is_best && run.best && run.best->set == kTrainingSet;
}

std::vector<Column> statistics_of(const std::vector<Run>& runs) {
    std::vector<Column> columns;
    for (const Run& run : runs) {
        for (const auto& [name, value] : run.best.value_or(Measurement()).statistics) {
            if (name != "loss") {
                add_column(columns, {name, Source::kBest});
            }
        }
    }
    return columns;
}

}  // namespace ptp::runs
