#include "engine/conformance/interruption.hpp"

#include <fmt/core.h>
#include <malloc.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

namespace ptp::engine {

namespace {

using Outcomes = std::vector<Outcome>;

constexpr std::uint64_t kSteps = 6;         // of training; then one of evaluation
constexpr std::uint64_t kInterruption = 3;  // before this step

// Returns the outcomes of the steps after the interruption.
Outcomes rest_of(LoneTrial& trial) {
    Outcomes outcomes;
    for (std::uint64_t number = kInterruption; number < kSteps; ++number) {
        append(outcomes, trial.step(number));
    }
    append(outcomes, trial.evaluation(kSteps));
    append(outcomes, trial.end());
    return outcomes;
}

void begin(LoneTrial& trial) {
    trial.begin_set();
    for (std::uint64_t number = 0; number < kInterruption; ++number) {
        static_cast<void>(trial.step(number));
    }
}

Outcomes uninterrupted(const RuleContext& context, const char* name) {
    const auto trial = context.new_trial(name);
    begin(*trial);
    return rest_of(*trial);
}

// Fills newly allocated memory, as far as the C library allows: values that a component does not
// set then differ from run to run.
void fill_memory(int byte) {
    ::mallopt(M_PERTURB, ~byte & 0xff);  // glibc fills with the complement
    constexpr std::size_t kMaxSize = 2048;
    constexpr std::size_t kStep = 16;
    constexpr std::size_t kBlocks = 8;  // of a size, more than are cached for each thread
    for (std::size_t size = kStep; size <= kMaxSize; size += kStep) {
        std::array<void*, kBlocks> blocks{};
        for (void*& block : blocks) {
            block = std::malloc(size);  // NOLINT
            if (block != nullptr) {
                std::memset(block, byte, size);
            }
        }
        for (void* block : blocks) {
            std::free(block);  // NOLINT
        }
    }
}

// Continues with another instance, in the folder that the first has left.
Outcomes interrupted(const RuleContext& context) {
    LoneTrial::Saved saved;
    {
        const auto first = context.new_trial("interrupted");
        begin(*first);
        saved = first->save();
    }
    const auto second = context.new_trial("interrupted");
    second->restore(saved);
    return rest_of(*second);
}

}  // namespace

RuleResult check_interruption(const RuleContext& context) {
    context.step("all steps without an interruption");
    const Outcomes whole = uninterrupted(context, "whole");
    context.step("the steps with an interruption");
    std::string what;
    try {
        what = first_difference(whole, interrupted(context));
    } catch (const std::exception& error) {
        return rule_failed(fmt::format("cannot continue after an interruption: {}", error.what()));
    }
    if (what.empty()) {
        return {};
    }
    if (!first_difference(whole, uninterrupted(context, "again")).empty()) {
        return rule_skipped(fmt::format("two runs from one seed differ, which is about rule {}",
                                        rule_of(RuleId::kDeterminism).number()));
    }
    return rule_failed(
        fmt::format(
            "{} differs after an interruption: it keeps something from step to step that is neither a "
            "parameter, nor a buffer, nor in the state that it saves",
            what),
        "register it with module(), or name it in state()");
}

RuleResult check_determinism(const RuleContext& context) {
    constexpr int kFirstByte = 0x55;
    constexpr int kSecondByte = 0x2a;
    context.step("a run");
    fill_memory(kFirstByte);
    const Outcomes first = uninterrupted(context, "first");
    context.step("another run from the same seed");
    fill_memory(kSecondByte);
    const std::string what = first_difference(first, uninterrupted(context, "second"));
    return what.empty()
               ? RuleResult{}
               : rule_failed(fmt::format("{} differs between two runs from one seed", what));
}

}  // namespace ptp::engine
