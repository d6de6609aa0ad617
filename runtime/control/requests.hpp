// The requests that a running training accepts, with their arguments, help and actions; command.hpp
// lists them and states what each declares.

#pragma once

#include "base/diagnostics.hpp"
#include "base/error.hpp"
#include "base/number.hpp"
#include "control/protocol.hpp"
#include "schema/fields.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::control {

struct NoArguments {
    static std::vector<schema::Field> fields() { return {}; }
};

struct Status : NoArguments {
    static constexpr std::string_view kName = "status";
    static constexpr std::string_view kHelp = "how far the training is, and what it runs";
    static constexpr bool kIsJournalled = false;

    Reply act(auto& run) const {
        Value table = run.training().status();
        table.set("state", run.is_paused() ? "paused" : "running");
        table.set("generations", run.generations());
        return {true, "", std::move(table)};
    }
};

struct Pause : NoArguments {
    static constexpr std::string_view kName = "pause";
    static constexpr std::string_view kHelp = "stops before the next episode, until `continue`";
    static constexpr bool kIsJournalled = false;

    Reply act(auto& run) const {
        run.pause();
        return run.done("paused after " + counted(run.episodes(), "episode"));
    }
};

struct Continue {
    static constexpr std::string_view kName = "continue";
    static constexpr std::string_view kHelp = "ends a pause";
    static constexpr bool kIsJournalled = false;

    std::optional<std::int64_t> episodes;  // number after which it pauses again

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        return {{.name = "episodes",
                 .into = &episodes,
                 .help = "after how many of them it pauses again",
                 .range = "[1, inf)"}};
    }

    Reply act(auto& run) const {
        run.proceed(episodes);
        std::string text = "continues after " + counted(run.episodes(), "episode");
        if (episodes) {
            text += fmt::format(", for {}", *episodes);
        }
        return run.done(std::move(text));
    }
};

struct Stop : NoArguments {
    static constexpr std::string_view kName = "stop";
    static constexpr std::string_view kHelp =
        "saves a checkpoint and ends the run with exit code 0; `ptprun resume` continues it";
    static constexpr bool kIsJournalled = false;

    Reply act(auto& run) const {
        run.stop();
        return run.done("stops after " + counted(run.episodes(), "episode") +
                        "; the run ends once its checkpoint is saved");
    }
};

struct Checkpoint : NoArguments {
    static constexpr std::string_view kName = "checkpoint";
    static constexpr std::string_view kHelp = "saves a checkpoint";
    static constexpr bool kIsJournalled = true;

    Reply act(auto& run) const {
        run.training().save_now();
        return run.done("saved a checkpoint after " + counted(run.episodes(), "episode"));
    }
};

struct Validate : NoArguments {
    static constexpr std::string_view kName = "validate";
    static constexpr std::string_view kHelp = "measures the whole validation set";
    static constexpr bool kIsJournalled = true;

    void require(auto& run) const {
        if (const std::string reason = run.training().no_validation(); !reason.empty()) {
            throw RunError(kConfigurationError, reason);
        }
    }
    Reply act(auto& run) const { return run.done(run.validate()); }
};

struct LearningRate {
    static constexpr std::string_view kName = "learning_rate";
    static constexpr std::string_view kHelp =
        "sets the learning rate from the next episode on; a schedule keeps changing it";
    static constexpr bool kIsJournalled = true;

    double rate = 0;    // schedules apply to it
    std::string group;  // "": all groups

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        return {
            {.name = "rate",
             .into = &rate,
             .help = "the new learning rate",
             .range = "[0, inf)",
             .is_required = true},
            {.name = "group", .into = &group, .help = "the learning rate of this component alone"}};
    }

    void require(auto& run) const { run.training().check_group(group); }
    Reply act(auto& run) const {
        run.training().set_learning_rate(rate, group);
        const std::optional<double> used = rate_used(run.training().status());
        const bool is_base = used && *used != rate;
        return run.done(fmt::format(
            "the {}learning rate{} is {:g} from episode {} on{}", is_base ? "base " : "",
            group.empty() ? "" : " of '" + group + "'", rate, run.episodes(),
            is_base ? fmt::format("; the schedule makes {:g} of it now", *used) : ""));
    }

private:
    // Returns what the schedule, warm-up and lowering make of the rate.
    [[nodiscard]] std::optional<double> rate_used(const Value& status) const {
        const Value* const rates = status.find("learning_rates");
        const Value* const own = rates != nullptr ? rates->find("learning_rate." + group) : nullptr;
        const Value* const used =
            own == nullptr && rates != nullptr ? rates->find("learning_rate") : own;
        return used != nullptr && used->is_number() ? std::optional(used->as_real()) : std::nullopt;
    }
};

// Exchanges plugins. In a journal it has other arguments: see run/journal.hpp.
struct Swap {
    static constexpr std::string_view kName = "swap";
    static constexpr std::string_view kHelp = "exchanges plugins for newer builds";
    static constexpr bool kIsJournalled = true;

    std::vector<std::filesystem::path> files;  // absolute, at least one
    bool is_dry_run = false;
    schema::Raw given_files = nullptr;

    template <class Field = schema::Field>
    std::vector<Field> fields() {
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
