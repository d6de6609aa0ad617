// Searches for settings, sizes and inputs with which a component runs, and passes them to other
// processes as a table. Settings are made up from a few values of each type that their declaration
// allows.

#include "solo/attempt.hpp"

#include "base/diagnostics.hpp"
#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/suggest.hpp"
#include "pipeline/settings.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <exception>
#include <iterator>
#include <limits>
#include <ranges>
#include <utility>

namespace ptp::solo {

namespace {

using enum Guess::Constant;

constexpr int kMaxPipelines = 2000;
constexpr int kMaxTrials = 30;                           // for one size
constexpr std::int64_t kLight = std::int64_t{64} << 20;  // bytes of tensors

// The sizes to try, small ones first: of images, and of everything else.
constexpr std::array<std::pair<std::int64_t, std::int64_t>, 5> kSizes = {
    {{5, 4}, {8, 4}, {32, 4}, {64, 3}, {224, 4}}};

// The kinds of constants to try with each size: one for all, then each pair, by turns.
constexpr std::array<Guess::Constants, 9> kConstants = {{{kNumber, kNumber},
                                                         {kWords, kWords},
                                                         {kNumbersOfWords, kNumbersOfWords},
                                                         {kNumber, kWords},
                                                         {kNumber, kNumbersOfWords},
                                                         {kWords, kNumber},
                                                         {kWords, kNumbersOfWords},
                                                         {kNumbersOfWords, kNumber},
                                                         {kNumbersOfWords, kWords}}};

// Returns whether another of kConstants makes the same of this number of constants.
bool is_repetition(const Guess::Constants& constants, std::size_t count) {
    return count == 0   ? constants != kConstants.front()
           : count == 1 ? constants.front() != constants.back()
                        : false;
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
            if (best_.pipeline == nullptr && best_.stage == Stage::kPlan) {
                rank_ = 3;  // of a sequence, for what needs more dimensions than a vector has
                pipelines_ = 0;
                try_all(settings);
            }
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
            for (const Guess::Constants& constants : kConstants) {
                if (pipelines_ >= kMaxPipelines || trials_of_size_ >= kMaxTrials) {
                    return false;
                }
                if (try_one(table, {side, size, constants, rank_}) && best_bytes_ <= kLight) {
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
        } catch (const std::exception& error) {
            refuse(Stage::kPlan, error);
            return false;
        }
        if (is_repetition(guess.constants, pipeline->constant_count)) {
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
            static_cast<void>(trial.step(0));
            stage = Stage::kEvaluation;
            static_cast<void>(trial.evaluation(1));
            std::int64_t bytes = 0;
            for (const NamedTensor& named : trial.tensors()) {
                bytes += static_cast<std::int64_t>(named.tensor.nbytes());
            }
            return bytes;
        } catch (const std::exception& error) {
            refuse(stage, error);
        }
        return std::numeric_limits<std::int64_t>::max();
    }

    void refuse(Stage stage, const std::exception& error) {
        if (best_.pipeline != nullptr || stage <= best_.stage) {
            return;
        }
        const auto* const no_plan = dynamic_cast<const NoPlan*>(&error);
        const auto* const run_error = dynamic_cast<const RunError*>(&error);
        best_.stage = stage;
        best_.code = run_error != nullptr ? run_error->code() : kTrainingError;
        best_.refusal = error.what();
        best_.reason = no_plan != nullptr ? no_plan->reasons() : explanation_of(error).reason;
    }

    const LoneEntry& lone_;
    const ptp_component_info& info_;
    const std::filesystem::path& folder_;
    const std::uint64_t seed_;
    Attempt best_;
    std::int64_t best_bytes_ = std::numeric_limits<std::int64_t>::max();
    int pipelines_ = 0;
    std::int64_t rank_ = 2;
    int trials_ = 0;
    int trials_of_size_ = 0;
};

using plugin::Component;
using plugin::Setting;
using plugin::SettingType;

// The lengths of all lists of a component, since many have to be equally long.
constexpr std::array<std::size_t, 4> kLengths = {2, 1, 3, 4};

bool is_required(const Setting& setting) {
    return setting.is_required && !setting.default_value;
}

class SettingMaker {
public:
    SettingMaker(const Component& component, std::size_t length)
        : component_(component), length_(length) {}

    // Returns all allowed values.
    [[nodiscard]] std::vector<Value> choices(const Setting& setting) const {
        std::vector<Value> found = candidates(setting);
        std::erase_if(found, [&](const Value& value) {
            Diagnostics problems;
            static_cast<void>(
                pipeline::check_setting_value(setting, value, setting.name, "/", problems));
            return !problems.ok();
        });
        return found;
    }

    // Returns a table with the first choice for each required setting.
    [[nodiscard]] Value table(const std::vector<Setting>& settings, Value given) const {
        for (const Setting& setting : settings) {
            if (is_required(setting) && given.find(setting.name) == nullptr) {
                if (auto values = choices(setting); !values.empty()) {
                    given.set(setting.name, std::move(values.front()));
                }
            }
        }
        return given;
    }

private:
    // Returns whether the setting has the names of streams or globals.
    [[nodiscard]] bool gives_names(const std::string& setting) const {
        return std::ranges::count(component_.ports, setting, &plugin::Port::streams_setting) > 0 ||
               std::ranges::count(component_.globals, "$" + setting, &plugin::Global::name) > 0;
    }

    [[nodiscard]] std::vector<Value> candidates(const Setting& setting) const {
        std::vector<Value> found;
        if (setting.list_depth == 1 && setting.type == SettingType::kString) {
            std::vector<Value> names;
            for (std::size_t i = 1; i <= length_; ++i) {
                names.emplace_back(gives_names(setting.name)
                                       ? fmt::format("{}_{}", setting.name, i)
                                       : std::string(1, static_cast<char>('a' + i - 1)));
            }
            found.push_back(Value::list(std::move(names)));
        }
        for (Value value : single(setting)) {
            for (std::uint32_t i = 0; i < setting.list_depth; ++i) {
                value = Value::list(std::vector<Value>(length_, value));
            }
            found.push_back(std::move(value));
        }
        return found;
    }

    // Returns the values of the setting without its lists.
    [[nodiscard]] std::vector<Value> single(const Setting& setting) const {
        switch (setting.type) {
            case SettingType::kBoolean:
                return {false, true};
            case SettingType::kInteger:
                return {4, 2, 1, 3, 0, -1, 8, 16, 32, 100};
            case SettingType::kReal:
                return {0.5, 1.0, 0.0, 2.0, -1.0, 100.0};
            case SettingType::kString:
                return {gives_names(setting.name) ? setting.name : std::string("a")};
            case SettingType::kEnumeration:
                return {setting.choices.begin(), setting.choices.end()};
            case SettingType::kTable:
                return {table(setting.members, Value())};
            case SettingType::kAny:
                return {4, Value::list(std::vector<Value>(length_, 4)), "a"};
            case SettingType::kLayers:
                return {Value::list({})};
            case SettingType::kPath:
                return {};
        }
        return {};
    }

    const Component& component_;
    std::size_t length_;
};

}  // namespace

Attempt find_attempt(const LoneEntry& lone, const ptp_component_info& info,
                     const std::filesystem::path& folder, std::uint64_t seed) {
    return Search(lone, info, folder, seed).run();
}

Value attempt_table(const Attempt& attempt) {
    const Guess& guess = attempt.pipeline->guess;
    const auto constant = [&](std::size_t i) { return static_cast<int>(guess.constants.at(i)); };
    return Value::table({{"reason", attempt.reason},
                         {"refuses_defaults", attempt.refuses_defaults},
                         {"settings", attempt.pipeline->settings},
                         {"side", guess.side},
                         {"size", guess.size},
                         {"rank", guess.rank},
                         {"constants", Value::list({constant(0), constant(1)})},
                         {"reals", static_cast<int>(attempt.reals)}});
}

Attempt attempt_from(const Value& table, const LoneEntry& lone) {
    LoneEntry found = lone;
    for (const Member& member : table.find("settings")->members()) {
        if (lone.entry.settings.find(member.key) == nullptr) {
            found.entry.settings.set(member.key, member.value.at({}));
        }
    }
    const auto constant = [&](std::size_t i) {
        return static_cast<Guess::Constant>(table.find("constants")->items().at(i).as_integer());
    };
    const Guess guess{table.find("side")->as_integer(),
                      table.find("size")->as_integer(),
                      {constant(0), constant(1)},
                      table.find("rank")->as_integer()};
    return {.pipeline = std::make_unique<MadeUpPipeline>(found, guess),
            .reals = static_cast<MadeUpReals>(table.find("reals")->as_integer()),
            .reason = table.find("reason")->as_string(),
            .refuses_defaults = table.find("refuses_defaults")->as_bool()};
}

std::vector<const Setting*> missing_settings(const Component& component, const Value& given) {
    std::vector<const Setting*> missing;
    for (const Setting& setting : component.settings) {
        if (is_required(setting) && given.find(setting.name) == nullptr &&
            std::ranges::all_of(kLengths, [&](std::size_t length) {
                return SettingMaker(component, length).choices(setting).empty();
            })) {
            missing.push_back(&setting);
        }
    }
    return missing;
}

std::string quoted_names(const std::vector<const Setting*>& settings) {
    std::vector<std::string> names;
    for (const Setting* const setting : settings) {
        names.push_back(fmt::format("'{}'", setting->name));
    }
    return joined(names);
}

namespace {

// Returns the tables that differ from the first one in the value of a single setting, of those that
// `is_varied` accepts.
template <class IsVaried>
std::vector<Value> varied_tables(const Component& component, const Value& given,
                                 const IsVaried& is_varied) {
    std::vector<Value> tables;
    for (const std::size_t length : kLengths) {
        const SettingMaker maker(component, length);
        for (const Setting& setting : component.settings | std::views::filter(is_varied)) {
            for (const Value& value : maker.choices(setting)) {
                Value& changed = tables.emplace_back(maker.table(component.settings, given));
                changed.set(setting.name, value);
            }
        }
    }
    return tables;
}

}  // namespace

std::vector<Value> made_up_settings(const Component& component, const Value& given,
                                    const std::string& refusal) {
    const auto is_open = [&](const Setting& setting) {
        return given.find(setting.name) == nullptr && is_required(setting) == refusal.empty();
    };
    const auto is_named = [&](const Setting& setting) {
        return is_open(setting) && refusal.find(setting.name) != std::string::npos;
    };
    const auto is_varied = [&](const Setting& setting) {
        const bool has_few_values =
            setting.type == SettingType::kEnumeration || setting.type == SettingType::kBoolean;
        return is_open(setting) && (refusal.empty() || has_few_values || is_named(setting));
    };
    std::vector<Value> tables;
    for (const std::size_t length : kLengths) {  // with the first value of everything
        const SettingMaker maker(component, length);
        Value& table = tables.emplace_back(maker.table(component.settings, given));
        for (const Setting& setting : component.settings) {
            if (const auto values = maker.choices(setting); is_named(setting) && !values.empty()) {
                table.set(setting.name, values.front());
            }
        }
    }
    std::ranges::move(varied_tables(component, given, is_varied), std::back_inserter(tables));
    std::vector<Value> once;
    std::ranges::copy_if(tables, std::back_inserter(once),
                         [&](const Value& table) { return std::ranges::count(once, table) == 0; });
    return once;
}

Value made_up_members(const Component& component, const Setting& table) {
    return SettingMaker(component, kLengths.front()).table(table.members, Value());
}

}  // namespace ptp::solo
