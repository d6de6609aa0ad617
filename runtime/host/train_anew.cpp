// Finds values of --set with which an experiment can be trained, and writes the command.

#include "host/train_anew.hpp"

#include "base/exit_code.hpp"
#include "base/shell_words.hpp"
#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "experiment/familiar_names.hpp"
#include "experiment/load/override.hpp"
#include "host/prepare.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace ptp::host {

namespace fs = std::filesystem;

namespace {

std::string key_of(const TakenValue& value) {
    Diagnostics reported_elsewhere;
    const auto read = experiment::read_override(value.taken, 1, reported_elsewhere);
    return read ? join(read->path, ".") : "";
}

// Replaces values by those that errors propose, or else warnings that a value makes another key
// wrong, as a judge's other statistic does `better`; returns whether there is one.
bool take_proposed(std::vector<TakenValue>& values, Severity severity,
                   const Diagnostics& problems) {
    const auto count = static_cast<int>(values.size());
    bool has_taken = false;
    for (const Problem& problem : problems.reported()) {
        const int number = problem.place.file() == kCommandLine ? problem.place.line() : 0;
        const std::vector<std::string> proposed = set_options(problem.fix);
        if (problem.severity != severity || number < 1 || number > count || proposed.empty()) {
            continue;
        }
        const auto at = static_cast<std::size_t>(number - 1);
        if (severity != Severity::kError && problem.key.ends_with(key_of(values[at]))) {
            continue;
        }
        has_taken = has_taken || values[at].taken != proposed.front();
        values[at].taken = proposed.front();
        for (std::size_t i = 1; i < proposed.size(); ++i) {
            values.push_back({values[at].given, proposed[i]});
        }
    }
    return has_taken;
}

// Replaces a type alone, such as that of the optimizer, by its table: the options of the type so
// far may be none of it. Returns whether there is one.
bool take_tables(std::vector<TakenValue>& values) {
    constexpr std::string_view kType = ".type";
    bool has_taken = false;
    for (TakenValue& value : values) {
        Diagnostics reported_elsewhere;
        const auto read = experiment::read_override(value.taken, 1, reported_elsewhere);
        const std::string key = read ? join(read->path, ".") : "";
        if (!key.ends_with(kType) || !read->value.is_string()) {
            continue;
        }
        const std::string table = key.substr(0, key.size() - kType.size());
        auto whole =
            read_toml_value(experiment::familiar_type_table(table, read->value.as_string()));
        if (whole) {
            if (table.ends_with(".optimizer")) {
                whole->erase("momentum");  // which was not asked for, and has a default
            }
            value.taken = fmt::format("{}={}", table, inline_toml(*whole));
            has_taken = true;
        }
    }
    return has_taken;
}

std::string command_of(const fs::path& run) {
    return "ptprun " + shell_word((run / run::kExperimentFile).string());
}

}  // namespace

std::string begin_with(const fs::path& run, const fs::path& checkpoint) {
    const auto load_of = [&](const std::string& table) {
        return " --set " + shell_word(fmt::format("{}.load=\"{}\"", table, checkpoint.string()));
    };
    std::string command = command_of(run) + load_of("pipeline");
    Request request;
    request.file = (run / run::kExperimentFile).string();
    Diagnostics reported_elsewhere;
    const Prepared prepared = prepare(request, reported_elsewhere);
    for (const experiment::ComponentEntry& entry : prepared.experiment.pipeline.components) {
        // A component keeps a `load` of its own.
        command += entry.is_enabled && entry.load ? load_of(entry.path) : "";
    }
    return command;
}

TakenValues taken_values(const fs::path& run, const std::vector<std::string>& values) {
    constexpr int kMaxTries = 4;  // a proposal may have one of its own
    TakenValues result;
    for (const std::string& value : values) {
        result.values.push_back({value, value});
    }
    for (int i = 0; i < kMaxTries; ++i) {
        Request request;
        request.file = (run / run::kExperimentFile).string();
        for (const TakenValue& value : result.values) {
            request.overrides.push_back(value.taken);
        }
        Diagnostics problems;
        Prepared prepared = prepare(request, problems);
        const int code = exit_code_for(problems, prepared.catalog);
        const bool is_taken = code == kDone || code == kDataError;  // data may be elsewhere now
        const Severity looked_at = is_taken ? Severity::kWarning : Severity::kError;
        const bool is_other = take_proposed(result.values, looked_at, problems);
        if (is_taken && (!is_other || i + 1 == kMaxTries)) {
            result.experiment = std::move(prepared.experiment);
            return result;
        }
        if (!is_other && !take_tables(result.values)) {
            return result;
        }
    }
    return result;
}

Explanation train_anew(const fs::path& run, const std::vector<std::string>& refused,
                       const std::vector<TakenValue>& values) {
    const fs::path checkpoints = run / run::kCheckpointsFolder;
    std::error_code ignored;
    const auto has = [&](const char* name) { return fs::exists(checkpoints / name, ignored); };
    const char* const checkpoint =
        has(run::kBestCheckpoint) ? run::kBestCheckpoint : run::kLastCheckpoint;
    // Weights fit, whichever of them are frozen.
    const auto has_other_weights = [](const std::string& key) {
        return key.starts_with("pipeline.") && !key.ends_with(".freeze") &&
               key.find(".freeze.") == key.npos;
    };
    const bool fits = has(checkpoint) && std::ranges::none_of(refused, has_other_weights);
    std::string command = fits ? begin_with(run, checkpoints / checkpoint) : command_of(run);
    for (const TakenValue& value : values) {
        command += " --set " + shell_word(value.taken);
    }
    return {fits ? fmt::format("a training anew, from its {} weights, can", checkpoint)
                 : "a training anew can",
            command};
}

}  // namespace ptp::host
