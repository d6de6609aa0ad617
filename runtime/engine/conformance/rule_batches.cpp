#include "engine/conformance/rule_batches.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace ptp::engine {

namespace {

struct RefusedBatch {
    ExitCode code = kDone;
    std::string reason;
};

class Batches {
public:
    explicit Batches(const RuleContext& context)
        : context_(context), trial_(context.new_trial("trial", InputMemory::kGuarded)) {
        trial_->begin_set();
    }

    // Why a batch of N samples is refused; nullopt where it is not.
    std::optional<RefusedBatch> refusal(std::int64_t size, bool is_training) {
        context_.step(text(size, is_training));
        try {
            static_cast<void>(trial_->run({number_++, size, is_training}));
            return std::nullopt;
        } catch (const RunError& error) {
            return RefusedBatch{error.code(), explanation_of(error).reason};
        }
    }

    static std::string text(std::int64_t size, bool is_training) {
        return fmt::format("a batch of {} in {}", size, is_training ? "training" : "evaluation");
    }

private:
    const RuleContext& context_;
    std::unique_ptr<LoneTrial> trial_;
    std::uint64_t number_ = 0;
};

// Settings that were made up may be for one number of samples alone, such as the sizes of an
// output; not where the same number is trained.
RuleResult batch_refused(const RuleContext& context, Batches& batches, const LoneStep& step,
                         const RefusedBatch& why) {
    std::string text =
        fmt::format("{} fails: {}", Batches::text(step.batch_size, step.is_training), why.reason);
    const bool may_be_settings = context.has_made_up_settings() && why.code != kPluginError;
    if (may_be_settings && (step.is_training || batches.refusal(step.batch_size, true))) {
        return rule_skipped(std::move(text));
    }
    return rule_failed(std::move(text));
}

LoneStep batch_of(std::int64_t size, bool is_training) {
    return {.batch_size = size, .is_training = is_training};
}

}  // namespace

RuleResult check_batch_sizes(const RuleContext& context) {
    Batches batches(context);
    for (const std::int64_t size : {3, 7, 2}) {
        if (const auto error = batches.refusal(size, true)) {
            return batch_refused(context, batches, batch_of(size, true), *error);
        }
    }
    constexpr std::int64_t kEvaluated = 5;
    const auto error = batches.refusal(kEvaluated, false);
    return error ? batch_refused(context, batches, batch_of(kEvaluated, false), *error)
                 : RuleResult{};
}

RuleResult check_batch_of_one(const RuleContext& context) {
    Batches batches(context);
    if (const auto error = batches.refusal(1, false)) {
        return batch_refused(context, batches, batch_of(1, false), *error);
    }
    // Such as by a batch normalization, which has no variance of one value.
    const auto error = batches.refusal(1, true);
    return error && error->code == kPluginError
               ? batch_refused(context, batches, batch_of(1, true), *error)
               : RuleResult{};
}

RuleResult check_empty_batch(const RuleContext& context) {
    Batches batches(context);
    const auto error = batches.refusal(0, false);
    return error && error->code == kPluginError
               ? batch_refused(context, batches, batch_of(0, false), *error)
               : RuleResult{};
}

}  // namespace ptp::engine
