// Searches for settings, sizes and inputs with which a component runs, and passes them to other
// processes as text.

#include "solo/attempt.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ptp::solo {

namespace {

constexpr int kMaxPipelines = 2000;
constexpr int kMaxTrials = 30;                           // for one size
constexpr std::int64_t kLight = std::int64_t{64} << 20;  // bytes of tensors

using Constants = std::vector<Guess::Constant>;

// The sizes to try, small ones first: of images, and of everything else.
constexpr std::array<std::pair<std::int64_t, std::int64_t>, 5> kSizes = {
    {{5, 4}, {8, 4}, {32, 4}, {64, 3}, {224, 4}}};

// Returns the kinds of constants to try with each size: each alone, then each pair.
std::vector<Constants> constants_to_try() {
    using enum Guess::Constant;
    std::vector<Constants> all;
    for (const auto one : {kNumber, kWords, kNumbersOfWords}) {
        all.push_back({one});
    }
    for (const auto one : {kNumber, kWords, kNumbersOfWords}) {
        for (const auto other : {kNumber, kWords, kNumbersOfWords}) {
            if (one != other) {
                all.push_back({one, other});
            }
        }
    }
    return all;
}

class Search {
public:
    Search(const LoneEntry& lone, const ptp_component_info& info,
           const std::filesystem::path& folder, std::uint64_t seed)
        : lone_(lone), info_(info), folder_(folder), seed_(seed) {}

    Attempt run() {
        const Value& given = lone_.entry.settings;
        const std::vector<Value> settings = made_up_settings(lone_.component, given);
        if (!try_all(settings)) {
            const bool needs_nothing = settings.front() == given && given.members().empty();
            const bool refuses = needs_nothing && best_.stage == Stage::kCreation &&
                                 best_.code == kConfigurationError;
            try_all(made_up_settings(lone_.component, given, best_.refusal));
            best_.refuses_defaults = refuses && best_.pipeline != nullptr;
        }
        return std::move(best_);
    }

private:
    // Returns whether the component runs with one of them.
    bool try_all(const std::vector<Value>& settings) {
        for (const auto& [side, size] : kSizes) {
            trials_of_size_ = 0;
            if (try_size(settings, side, size)) {
                return true;
            }
        }
        return best_.pipeline != nullptr;
    }

    // Returns whether it runs with one of them, and needs few bytes.
    bool try_size(const std::vector<Value>& settings, std::int64_t side, std::int64_t size) {
        for (const Value& table : settings) {
            for (const Constants& constants : constants_) {
                if (pipelines_ >= kMaxPipelines || trials_of_size_ >= kMaxTrials) {
                    return false;
                }
                if (try_one(table, {side, size, constants}) && best_bytes_ <= kLight) {
                    return true;
                }
            }
        }
        return false;
    }

    bool try_one(const Value& settings, const Guess& guess) {
        ++pipelines_;
        LoneEntry lone = lone_;
        lone.entry.settings = settings;
        std::unique_ptr<MadeUpPipeline> pipeline;
        try {
            pipeline = std::make_unique<MadeUpPipeline>(lone, guess);
        } catch (const NoPlan& error) {
            refuse(Stage::kPlan, {error.reasons()}, error.what());
            return false;
        } catch (const std::exception& error) {
            refuse(Stage::kPlan, explanation_of(error), error.what());
            return false;
        }
        if (!tried_.insert(inline_toml(settings) + pipeline->text()).second) {
            return false;
        }
        for (const MadeUpReals reals :
             {MadeUpReals::kLogProbabilities, MadeUpReals::kUnitInterval}) {
            if (const std::int64_t bytes = bytes_with(*pipeline, reals); bytes < best_bytes_) {
                best_bytes_ = bytes;
                best_.pipeline = std::move(pipeline);
                best_.reals = reals;
                return true;
            }
        }
        return false;
    }

    // Returns the bytes of its tensors if it runs, otherwise the maximum.
    std::int64_t bytes_with(const MadeUpPipeline& pipeline, MadeUpReals reals) {
        Stage stage = Stage::kCreation;
        try {
            ++trials_;
            ++trials_of_size_;
            LoneTrial trial(pipeline, info_, {folder_ / fmt::format("{}", trials_), reals, seed_});
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
            refuse(stage, explanation_of(error), error.what(), error.code());
        } catch (const std::exception& error) {
            refuse(stage, explanation_of(error), error.what());
        }
        return std::numeric_limits<std::int64_t>::max();
    }

    void refuse(Stage stage, const Explanation& why, const std::string& refusal,
                ExitCode code = kTrainingError) {
        if (best_.pipeline == nullptr && stage > best_.stage) {
            best_.stage = stage;
            best_.code = code;
            best_.refusal = refusal;
            best_.reason = why.reason;
        }
    }

    const LoneEntry& lone_;
    const ptp_component_info& info_;
    const std::filesystem::path& folder_;
    const std::uint64_t seed_;
    const std::vector<Constants> constants_ = constants_to_try();
    Attempt best_;
    std::int64_t best_bytes_ = std::numeric_limits<std::int64_t>::max();
    std::set<std::string> tried_;
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

Attempt find_attempt(const LoneEntry& lone, const ptp_component_info& info,
                     const std::filesystem::path& folder, std::uint64_t seed) {
    return Search(lone, info, folder, seed).run();
}

std::string text_of(const Attempt& attempt) {
    const Guess& guess = attempt.pipeline->guess;
    std::vector<Value> constants;
    for (const Guess::Constant constant : guess.constants) {
        constants.emplace_back(static_cast<int>(constant));
    }
    return to_toml(Value::table({{"reason", readable(attempt.reason)},
                                 {"refuses_defaults", attempt.refuses_defaults},
                                 {"settings", attempt.pipeline->settings},
                                 {"side", guess.side},
                                 {"size", guess.size},
                                 {"constants", Value::list(std::move(constants))},
                                 {"reals", static_cast<int>(attempt.reals)}}));
}

Attempt attempt_from(const std::string& text, const LoneEntry& lone) {
    Diagnostics problems;
    const std::optional<Value> table = read_toml(text, "what was found", problems);
    if (!table) {
        throw std::runtime_error(problems.text());
    }
    LoneEntry found = lone;
    for (const Member& member : table->find("settings")->members()) {
        if (lone.entry.settings.find(member.key) == nullptr) {
            found.entry.settings.set(member.key, member.value.at({}));
        }
    }
    Guess guess{table->find("side")->as_integer(), table->find("size")->as_integer(), {}};
    for (const Value& constant : table->find("constants")->items()) {
        guess.constants.push_back(static_cast<Guess::Constant>(constant.as_integer()));
    }
    return {.pipeline = std::make_unique<MadeUpPipeline>(found, std::move(guess)),
            .reals = static_cast<MadeUpReals>(table->find("reals")->as_integer()),
            .reason = table->find("reason")->as_string(),
            .refuses_defaults = table->find("refuses_defaults")->as_bool()};
}

}  // namespace ptp::solo
