#include "engine/conformance/try_rule.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/output_file.hpp"

#include <fmt/core.h>

#include <chrono>
#include <exception>

namespace ptp::engine {

namespace {

namespace fs = std::filesystem;

// From one process to the other.
constexpr const char* kResultFile = "result";
constexpr char kSeparator = '\0';

void write_result(const RuleResult& result, const std::string& output, const fs::path& file) {
    replace_file(file, fmt::format("{}{}{}{}{}{}", static_cast<int>(result.outcome), result.reason,
                                   kSeparator, result.fix, kSeparator, output));
}

RuleResult read_result(const fs::path& file, std::string* output) {
    const std::string text = read_text(file);
    const std::size_t reason = text.find(kSeparator);
    const std::size_t fix = text.find(kSeparator, reason + 1);
    if (output != nullptr) {
        *output = text.substr(fix + 1);
    }
    return {static_cast<RuleOutcome>(text.front() - '0'), text.substr(1, reason - 1),
            text.substr(reason + 1, fix - reason - 1)};
}

// Of what the work has thrown.
RuleResult result_of(const std::exception& error) {
    const auto* const run_error = dynamic_cast<const RunError*>(&error);
    const bool is_breach = run_error != nullptr && run_error->code() == kPluginError;
    const Explanation why = explanation_of(error);
    return {is_breach ? RuleOutcome::kFailed : RuleOutcome::kSkipped, why.reason,
            why.fix.empty() ? "correct what the message names" : why.fix};
}

}  // namespace

RuleResult try_rule(const RuleTrial& trial, SharedText& last_step,
                    const std::function<RuleResult(std::string& output)>& work,
                    std::string* output) {
    using Clock = std::chrono::steady_clock;
    last_step.set("");
    const auto begin = Clock::now();
    RuleResult result;
    try {
        try_in_process(trial.limit, trial.folder, [&] {
            fs::current_path(trial.folder);  // what is written to it is removed
            std::string written;
            RuleResult found;
            try {
                found = work(written);
            } catch (const std::exception& error) {
                found = result_of(error);
            }
            write_result(found, written, trial.folder / kResultFile);
        });
        result = read_result(trial.folder / kResultFile, output);
    } catch (const std::exception& error) {
        const bool is_late = Clock::now() - begin >= trial.limit;
        const Explanation why = explanation_of(error);
        const std::string step = last_step.get();
        result = {is_late ? RuleOutcome::kTimedOut : RuleOutcome::kCrashed,
                  step.empty() ? why.reason : fmt::format("{}; last step: {}", why.reason, step),
                  is_late ? "" : why.fix};
    }
    fs::remove_all(trial.folder);
    return result;
}

}  // namespace ptp::engine
