// The values of runs by column, and which settings distinguish runs.

#include "ptp-runs/columns.hpp"

#include "base/duration.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "experiment/load/override.hpp"
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

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Plain {
    const char* key;
    Source source;
};

constexpr Plain kPlain[] = {
    {"run", Source::kRun},
    {"experiment", Source::kExperiment},
    {"state", Source::kState},
    {"reason", Source::kReason},
    {"loss", Source::kLoss},
    {"epoch", Source::kEpoch},
    {"last.loss", Source::kLastLoss},
    {"episodes", Source::kEpisodes},
    {"seconds", Source::kSeconds},
    {"time", Source::kSeconds},
    {"trial", Source::kTrial},
    {"tags", Source::kTags},
    {"note", Source::kNote},
    {"problem", Source::kProblem},
    {"began", Source::kBegan},
};

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

// "val_acc" of other programs.
std::string_view without_set(std::string_view key) {
    for (const std::string_view set : {"val_", "valid_", "validation_", "test_", "train_"}) {
        if (key.starts_with(set)) {
            return key.substr(set.size());
        }
    }
    return key;
}

NoColumn unknown(const std::string& key, const std::vector<Run>& runs) {
    constexpr std::size_t kMaxMeant = 3;
    std::set<std::string> known;
    for (const Plain& plain : kPlain) {
        known.emplace(plain.key);
    }
    for (const Column& column : statistics_of(runs)) {
        known.insert(column.name);
    }
    for (const std::string& path : setting_paths(runs)) {
        known.insert(last_part(path));
    }
    const std::vector<std::string> names(known.begin(), known.end());
    const auto near = nearest(key, names);
    const auto meant = near ? std::vector{*near} : most_alike(without_set(key), names, kMaxMeant);
    return {fmt::format(
        "no run has '{}'{}", key,
        meant.empty() ? "" : fmt::format("; did you mean '{}'?", join(meant, "' or '")))};
}

// A trial that its search has left at the end of a rung, as it had asked for.
bool is_halved(const Run& run) {
    return run.state == "stopped" && run.reason == kStopAfterReason &&
           std::filesystem::exists(run.folder.parent_path() / kSearchFile);
}

bool is_name(std::string_view path) {
    return path == "name" || path == "pipeline.name";
}

// Returns the settings that differ, or that some runs lack, in the order in which they are
// met. Runs that have recorded no settings are ignored.
std::vector<std::string> differing_paths(const std::vector<Run>& runs) {
    struct Seen {
        const Value value;
        std::size_t count = 0;
        bool differs = false;
    };
    std::vector<std::string> order;
    std::map<std::string, Seen> seen;
    std::size_t run_count = 0;
    for (const Run& run : runs) {
        if (run.settings.members().empty()) {
            continue;
        }
        ++run_count;
        for (const auto& [path, value] : schema::flat(run.settings)) {
            const auto [entry, is_new] = seen.try_emplace(path, Seen{value});
            if (is_new) {
                order.push_back(path);
            }
            ++entry->second.count;
            entry->second.differs = entry->second.differs || !(entry->second.value == value);
        }
    }
    std::vector<std::string> paths;
    for (const std::string& path : order) {
        const Seen& entry = seen.at(path);
        if (!is_name(path) && (entry.differs || entry.count < run_count)) {
            paths.push_back(path);
        }
    }
    return paths;
}

// Keeps the first of settings with one last name and one value in each run, such as the fold of
// [training] and of [validation], the first remains.
void remove_repeated(std::vector<Column>& columns, const std::vector<Run>& runs) {
    std::vector<Column> kept;
    for (const Column& column : columns) {
        const bool is_repeated = std::ranges::any_of(kept, [&](const Column& other) {
            return last_part(other.name) == last_part(column.name) &&
                   std::ranges::all_of(runs, [&](const Run& run) {
                       return cell_text(run, other) == cell_text(run, column);
                   });
        });
        if (!is_repeated) {
            kept.push_back(column);
        }
    }
    columns = std::move(kept);
}

}  // namespace

std::optional<Value> value_of(const Run& run, const Column& column) {
    switch (column.source) {
        case Source::kRun:
            return text(run.folder.string());
        case Source::kExperiment:
            return text(run.experiment);
        case Source::kState:
            return text(is_halved(run) ? "halved" : run.state);
        case Source::kReason:
            return text(run.reason);
        case Source::kProblem:
            return text(run.problem);
        case Source::kTrial:
            return text(run.trial);
        case Source::kTags:
            return text(join(run.tags, ","));
        case Source::kNote:
            return text(run.note);
        case Source::kLoss:
            return loss_of(run.best);
        case Source::kEpoch:
            return run.best ? std::optional<Value>(run.best->epoch) : std::nullopt;
        case Source::kStatistic:
            return statistic_of(run.best, column.name);
        case Source::kLastLoss:
            return loss_of(run.last);
        case Source::kLastStatistic:
            return statistic_of(run.last, column.name);
        case Source::kEpisodes:
            return run.episode;
        case Source::kSeconds:
            return run.seconds ? std::optional<Value>(*run.seconds) : std::nullopt;
        case Source::kBegan:
            return text(run.began);
        case Source::kSetting:
            return setting_of(run.settings, column.name);
    }
    return std::nullopt;
}

std::string cell_text(const Run& run, const Column& column) {
    if (column.source == Source::kSeconds) {
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

std::variant<Column, NoColumn> find_column(const std::string& key, const std::vector<Run>& runs) {
    const auto plain = std::ranges::find(kPlain, key, &Plain::key);
    if (plain != std::end(kPlain)) {
        return Column{plain->source, "", key};
    }
    const bool is_last = key.starts_with("last.");
    const std::string name = is_last ? key.substr(5) : key;
    const auto has_it = [&](const Run& run) {
        return statistic_of(is_last ? run.last : run.best, name).has_value();
    };
    if (std::ranges::any_of(runs, has_it)) {
        return Column{is_last ? Source::kLastStatistic : Source::kStatistic, name, key};
    }
    std::vector<std::string> matches;
    for (const std::string& path : setting_paths(runs)) {
        if (path == key) {
            return Column{Source::kSetting, path, key};
        }
        if (is_end_of(key, path)) {
            matches.push_back(path);
        }
    }
    if (matches.size() == 1) {
        return Column{Source::kSetting, matches.front(), key};
    }
    if (matches.empty()) {
        return unknown(key, runs);
    }
    return NoColumn{fmt::format("'{}' may be {}", key, joined(matches, "or"))};
}

std::vector<Column> differing_settings(const std::vector<Run>& runs) {
    const std::vector<std::string> paths = differing_paths(runs);
    std::vector<Column> columns;
    for (const std::string& path : paths) {
        columns.push_back({Source::kSetting, path, title_of(path, paths)});
    }
    return columns;
}

std::vector<Column> varied_settings(const std::vector<Run>& runs) {
    std::map<std::string, std::vector<Run>> experiments;
    for (const Run& run : runs) {
        experiments[run.experiment].push_back(run);
    }
    std::set<std::string> varied;
    for (const auto& [name, some] : experiments) {
        for (const Column& column : differing_settings(some)) {
            varied.insert(column.name);
        }
    }
    std::vector<Column> columns = differing_settings(runs);
    std::erase_if(columns, [&](const Column& column) { return !varied.contains(column.name); });
    remove_repeated(columns, runs);
    std::vector<std::string> paths;
    for (const Column& column : columns) {
        paths.push_back(column.name);
    }
    for (Column& column : columns) {
        column.title = title_of(column.name, paths);
    }
    return columns;
}

bool is_measured(const Column& column) {
    switch (column.source) {
        case Source::kLoss:
        case Source::kEpoch:
        case Source::kStatistic:
        case Source::kLastLoss:
        case Source::kLastStatistic:
        case Source::kEpisodes:
        case Source::kSeconds:
            return true;
        default:
            return false;
    }
}

std::vector<Column> statistics_of(const std::vector<Run>& runs) {
    std::vector<Column> columns;
    std::set<std::string> seen = {"loss"};
    for (const Run& run : runs) {
        if (!run.best) {
            continue;
        }
        for (const auto& [name, value] : run.best->statistics) {
            if (seen.insert(name).second) {
                columns.push_back({Source::kStatistic, name, name});
            }
        }
    }
    return columns;
}

}  // namespace ptp::runs
