#include "engine/conformance/attempt.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "engine/conformance/made_up_settings.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ptp::engine {

namespace {

constexpr int kMaxPipelines = 2000;
constexpr int kMaxTrials = 30;                           // for one size
constexpr std::int64_t kLight = std::int64_t{64} << 20;  // bytes of tensors

// How far an attempt has come.
enum class Stage { kNone, kPlan, kCreation, kStep, kEvaluation };

class Search {
public:
    Search(const CheckedComponent& candidate, const ptp_component_info& info,
           AttemptOptions options)
        : candidate_(candidate), info_(info), options_(std::move(options)) {}

    Attempt run() {
        const Value& given = candidate_.entry.settings;
        const std::vector<Value> settings = made_up_settings(candidate_.component, given);
        if (!try_all(settings)) {
            const bool needs_nothing = settings.front() == given && given.members().empty();
            const bool refuses = needs_nothing && farthest_ == Stage::kCreation && is_config_;
            try_all(more_settings(candidate_.component, given, best_.refusal));
            best_.refuses_defaults = refuses && best_.pipeline != nullptr;
        }
        return std::move(best_);
    }

private:
    // Returns whether one of them is found.
    bool try_all(const std::vector<Value>& settings) {
        for (const Guess& guess : guesses()) {
            trials_of_size_ = 0;
            if (try_size(settings, guess)) {
                return true;
            }
        }
        return best_.pipeline != nullptr;
    }

    // Returns whether a light one is found.
    bool try_size(const std::vector<Value>& settings, const Guess& size) {
        for (const Value& table : settings) {
            for (const auto& constants : constants_to_try()) {
                if (pipelines_ >= kMaxPipelines || trials_of_size_ >= kMaxTrials) {
                    return false;
                }
                if (try_one(table, {size.side, size.size, constants}) && best_bytes_ <= kLight) {
                    return true;
                }
            }
        }
        return false;
    }

    bool try_one(const Value& settings, const Guess& guess) {
        ++pipelines_;
        auto entry = std::make_unique<experiment::ComponentEntry>(candidate_.entry);
        entry->settings = settings;
        std::unique_ptr<LonePipeline> pipeline;
        try {
            pipeline = std::make_unique<LonePipeline>(
                CheckedComponent{candidate_.plugin, candidate_.component, *entry, candidate_.home},
                guess);
        } catch (const NoPipeline& error) {
            refuse(Stage::kPlan, error.what(), error.reasons());
            return false;
        } catch (const std::exception& error) {
            refuse(Stage::kPlan, error);
            return false;
        }
        if (!tried_.insert(inline_toml(settings) + pipeline->text()).second) {
            return false;
        }
        for (const MadeUpReals reals :
             {MadeUpReals::kLogProbabilities, MadeUpReals::kUnitInterval}) {
            if (const std::int64_t bytes = bytes_with(*pipeline, reals); bytes < best_bytes_) {
                best_bytes_ = bytes;
                best_.entry = std::move(entry);
                best_.pipeline = std::move(pipeline);
                best_.reals = reals;
                return true;
            }
        }
        return false;
    }

    // Returns the bytes of its tensors if it runs, otherwise the maximum.
    std::int64_t bytes_with(const LonePipeline& pipeline, MadeUpReals reals) {
        Stage stage = Stage::kCreation;
        try {
            ++trials_;
            ++trials_of_size_;
            LoneTrial trial(pipeline, info_,
                            {options_.folder / fmt::format("{}", trials_), reals, options_.seed});
            stage = Stage::kStep;
            trial.begin_set();
            static_cast<void>(trial.step(0));
            stage = Stage::kEvaluation;
            static_cast<void>(trial.evaluation(1));
            std::int64_t bytes = 0;
            for (const NamedTensor& named : trial.tensors()) {
                bytes += static_cast<std::int64_t>(named.tensor.nbytes());
            }
            return bytes;
        } catch (const RunError& error) {
            refuse(stage, error, error.code());
        } catch (const std::exception& error) {
            refuse(stage, error);
        }
        return std::numeric_limits<std::int64_t>::max();
    }

    void refuse(Stage stage, const std::exception& error, ExitCode code = kTrainingError) {
        refuse(stage, error.what(), explanation_of(error).reason, code);
    }

    void refuse(Stage stage, const std::string& refusal, const std::string& reason,
                ExitCode code = kTrainingError) {
        if (best_.pipeline == nullptr && stage > farthest_) {
            farthest_ = stage;
            best_.refusal = refusal;
            best_.reason = reason;
            best_.breaks_contract = code == kPluginError;
            best_.fails_in_training = stage == Stage::kStep;
            best_.fails_in_evaluation = stage == Stage::kEvaluation;
            is_config_ = code == kConfigurationError;
        }
    }

    const CheckedComponent& candidate_;
    const ptp_component_info& info_;
    AttemptOptions options_;
    Attempt best_;
    std::int64_t best_bytes_ = std::numeric_limits<std::int64_t>::max();
    Stage farthest_ = Stage::kNone;
    std::set<std::string> tried_;
    bool is_config_ = false;  // the farthest attempt was refused as an experiment's mistake
    int pipelines_ = 0;
    int trials_ = 0;
    int trials_of_size_ = 0;
};

// Makes a component's message readable, which may have any bytes.
std::string readable(std::string text) {
    if (!is_utf8(text)) {
        std::ranges::replace_if(
            text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
    }
    return text;
}

}  // namespace

Attempt find_attempt(const CheckedComponent& candidate, const ptp_component_info& info,
                     const AttemptOptions& options) {
    return Search(candidate, info, options).run();
}

std::string text_of(const Attempt& attempt) {
    Value table = Value::table({{"refusal", readable(attempt.refusal)},
                                {"reason", readable(attempt.reason)},
                                {"breaks_contract", attempt.breaks_contract},
                                {"fails_in_training", attempt.fails_in_training},
                                {"fails_in_evaluation", attempt.fails_in_evaluation},
                                {"refuses_defaults", attempt.refuses_defaults}});
    if (attempt.pipeline != nullptr) {
        const Guess& guess = attempt.pipeline->guess;
        std::vector<Value> constants;
        for (const Guess::Constant constant : guess.constants) {
            constants.emplace_back(static_cast<int>(constant));
        }
        table.set("settings", attempt.entry->settings);
        table.set("side", guess.side);
        table.set("size", guess.size);
        table.set("constants", Value::list(std::move(constants)));
        table.set("reals", static_cast<int>(attempt.reals));
    }
    return to_toml(table);
}

Attempt attempt_from(const std::string& text, const CheckedComponent& candidate) {
    Diagnostics problems;
    const std::optional<Value> read = read_toml(text, "what was found", problems);
    if (!read) {
        throw std::runtime_error(problems.text());
    }
    const Value& table = *read;
    Attempt attempt;
    attempt.refusal = table.find("refusal")->as_string();
    attempt.reason = table.find("reason")->as_string();
    attempt.breaks_contract = table.find("breaks_contract")->as_bool();
    attempt.fails_in_training = table.find("fails_in_training")->as_bool();
    attempt.fails_in_evaluation = table.find("fails_in_evaluation")->as_bool();
    attempt.refuses_defaults = table.find("refuses_defaults")->as_bool();
    const Value* const settings = table.find("settings");
    if (settings == nullptr) {
        return attempt;
    }
    attempt.entry = std::make_unique<experiment::ComponentEntry>(candidate.entry);
    for (const Member& member : settings->members()) {
        if (attempt.entry->settings.find(member.key) == nullptr) {
            attempt.entry->settings.set(member.key, member.value.at({}));
        }
    }
    Guess guess{table.find("side")->as_integer(), table.find("size")->as_integer(), {}};
    for (const Value& constant : table.find("constants")->items()) {
        guess.constants.push_back(static_cast<Guess::Constant>(constant.as_integer()));
    }
    attempt.reals = static_cast<MadeUpReals>(table.find("reals")->as_integer());
    attempt.pipeline = std::make_unique<LonePipeline>(
        CheckedComponent{candidate.plugin, candidate.component, *attempt.entry, candidate.home},
        guess);
    return attempt;
}

}  // namespace ptp::engine
