#include "engine/conformance/attempt.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/toml_writer.hpp"
#include "engine/conformance/made_up_settings.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <exception>
#include <limits>
#include <set>
#include <utility>
#include <vector>

namespace ptp::engine {

namespace {

constexpr int kMaxPipelines = 2000;
constexpr int kMaxTrials = 30;                           // of one size
constexpr std::int64_t kLight = std::int64_t{64} << 20;  // bytes of tensors

// How far an attempt came.
enum class Stage { kNone, kPlan, kCreation, kStep };

class Search {
public:
    Search(const CheckedComponent& candidate, const ptp_component_info& info,
           std::filesystem::path folder)
        : candidate_(candidate), info_(info), folder_(std::move(folder)) {}

    Attempt run() {
        const Value& given = candidate_.entry.settings;
        if (!try_all(made_up_settings(candidate_.component, given))) {
            try_all(more_settings(candidate_.component, given, best_.refusal));
        }
        return std::move(best_);
    }

private:
    // Whether one of them is found.
    bool try_all(const std::vector<Value>& settings) {
        for (const Guess& guess : guesses()) {
            trials_of_size_ = 0;
            if (try_size(settings, guess)) {
                return true;
            }
        }
        return best_.pipeline != nullptr;
    }

    // Whether a light one is found.
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
                best_ = {std::move(entry), std::move(pipeline), reals};
                return true;
            }
        }
        return false;
    }

    // Of its tensors, if it runs; else more than anything has.
    std::int64_t bytes_with(const LonePipeline& pipeline, MadeUpReals reals) {
        Stage stage = Stage::kCreation;
        try {
            ++trials_;
            ++trials_of_size_;
            LoneTrial trial(pipeline, info_, {folder_ / fmt::format("{}", trials_), reals});
            stage = Stage::kStep;
            trial.begin_set();
            static_cast<void>(trial.step(0));
            std::int64_t bytes = 0;
            for (const NamedTensor& named : trial.tensors()) {
                bytes += static_cast<std::int64_t>(named.tensor.nbytes());
            }
            return bytes;
        } catch (const RunError& error) {
            refuse(stage, error, error.code() == kPluginError);
        } catch (const std::exception& error) {
            refuse(stage, error);
        }
        return std::numeric_limits<std::int64_t>::max();
    }

    void refuse(Stage stage, const std::exception& error, bool breaks_contract = false) {
        refuse(stage, error.what(), explanation_of(error).reason, breaks_contract);
    }

    void refuse(Stage stage, const std::string& refusal, const std::string& reason,
                bool breaks_contract = false) {
        if (best_.pipeline == nullptr && stage > farthest_) {
            farthest_ = stage;
            best_.refusal = refusal;
            best_.reason = reason;
            best_.breaks_contract = breaks_contract;
        }
    }

    const CheckedComponent& candidate_;
    const ptp_component_info& info_;
    std::filesystem::path folder_;
    Attempt best_;
    std::int64_t best_bytes_ = std::numeric_limits<std::int64_t>::max();
    Stage farthest_ = Stage::kNone;
    std::set<std::string> tried_;
    int pipelines_ = 0;
    int trials_ = 0;
    int trials_of_size_ = 0;
};

}  // namespace

Attempt find_attempt(const CheckedComponent& candidate, const ptp_component_info& info,
                     const std::filesystem::path& folder) {
    return Search(candidate, info, folder).run();
}

}  // namespace ptp::engine
