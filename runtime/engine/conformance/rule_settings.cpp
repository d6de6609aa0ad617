#include "engine/conformance/rule_settings.hpp"

#include "base/diagnostics.hpp"
#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/toml_writer.hpp"
#include "engine/component/component_error.hpp"
#include "engine/conformance/setting_limits.hpp"
#include "pipeline/settings.hpp"

#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

namespace ptp::engine {

namespace {

// The memory limit; further allocations fail, as on a machine without more memory.
constexpr std::uint64_t kMemory = std::uint64_t{1} << 30;

// The greatest numbers may require more memory than there is.
void limit_memory() {
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const std::uint64_t now = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    const rlimit limit{now + kMemory, now + kMemory};
    ::setrlimit(RLIMIT_AS, &limit);
}

bool is_permitted(const LimitValue& limit) {
    Diagnostics problems;
    static_cast<void>(pipeline::check_setting_value(*limit.setting, limit.value,
                                                    limit.setting->name, "/", problems));
    return problems.ok();
}

// Returns how it violates the contract with this value; "" if it runs or refuses it.
std::string problem_at(const RuleContext& context, const LimitValue& limit,
                       const std::filesystem::path& folder) {
    experiment::ComponentEntry entry = *context.attempt.entry;
    entry.settings.set(limit.setting->name, limit.value);
    try {
        const LonePipeline pipeline(
            {context.candidate.plugin, context.candidate.component, entry, context.candidate.home},
            context.attempt.pipeline->guess);
        LoneTrial trial(pipeline, context.info, {folder, context.attempt.reals, context.seed});
        trial.begin_set();
        static_cast<void>(trial.step(0));
        static_cast<void>(trial.evaluation(1));
    } catch (const RunError& error) {
        // An internal error is unexpected, and not a refusal.
        const bool is_refusal = error.code() == kConfigurationError || error.code() == kDataError;
        const std::string reason = explanation_of(error).reason;
        return is_refusal || is_about_memory(reason) ? "" : reason;
    } catch (const std::exception&) {  // the plan refuses it
        return "";
    }
    return "";
}

}  // namespace

RuleResult check_setting_limits(const RuleContext& context) {
    limit_memory();
    bool is_tried = false;
    for (const LimitValue& limit :
         limit_values(context.candidate.component, context.candidate.entry.settings,
                      context.attempt.entry->settings)) {
        if (!is_permitted(limit)) {
            continue;
        }
        is_tried = true;
        const std::string what = fmt::format("{} = {}", limit.path, short_text(limit.shown));
        context.step(what);
        const std::string problem =
            problem_at(context, limit, context.folder / limit.setting->name);
        if (!problem.empty()) {
            return rule_failed(fmt::format("with {}: {}", what, problem));
        }
    }
    return is_tried ? RuleResult{} : rule_skipped();
}

}  // namespace ptp::engine
