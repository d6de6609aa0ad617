#include "check_loading.hpp"

#include "base/explanation.hpp"
#include "base/temporary_path.hpp"
#include "check_libraries.hpp"
#include "plugin/abilities.hpp"
#include "plugin/loader.hpp"

#include <ptp/ext/parameters.h>
#include <ptp/ext/statistics.h>
#include <ptp/ext/task.h>

#include <exception>
#include <filesystem>
#include <string>

namespace ptp::inspect {

namespace {

using engine::RuleId;
using engine::RuleOutcome;
using plugin::Component;

// Checks the functions that a component must offer for its kind.
class AbilityCheck {
public:
    std::vector<RuleFinding> run(const plugin::Generation& generation) {
        for (const Component& component : generation.manifest().components) {
            check(component, *generation.component(component.name));
        }
        return std::move(findings_);
    }

private:
    void check(const Component& component, const ptp_component_info& info) {
        const auto lacks = [&](const char* id) { return info.extension(id) == nullptr; };
        if (component.kind == plugin::Kind::kTask && lacks(PTP_EXTENSION_TASK)) {
            add(component, "is a task without the ability " PTP_EXTENSION_TASK);
        }
        if (component.kind == plugin::Kind::kModel && lacks(PTP_EXTENSION_PARAMETERS)) {
            add(component, "is a model without parameters",
                "give it `torch::nn::Module& module()`; if it has nothing to learn it is a "
                "PTP_TRANSFORM");
        }
        if (!component.statistics.empty() && lacks(PTP_EXTENSION_STATISTICS)) {
            add(component, "has statistics without the ability " PTP_EXTENSION_STATISTICS);
        }
        if (plugin::forgets_counts(component, info)) {
            add(component, plugin::kForgetsCounts);
        }
        if (!lacks("ptp.no_such_ability/1")) {
            add(component, "claims an ability that does not exist",
                "return NULL from extension() for every id that it does not know");
        }
    }

    void add(const Component& component, std::string reason, std::string fix = "") {
        findings_.push_back(
            {RuleId::kAbilities,
             {RuleOutcome::kFailed, std::move(reason), component.name, std::move(fix)}});
    }

    std::vector<RuleFinding> findings_;
};

std::vector<RuleFinding> load(const plugin::CatalogEntry& entry,
                              const std::filesystem::path& folder,
                              const std::string& missing_engine) {
    try {
        return AbilityCheck().run(plugin::Loader(folder).load(entry));
    } catch (const plugin::LoadError& error) {
        if (error.phase() == plugin::LoadPhase::kOpen && !missing_engine.empty() &&
            needs_libtorch(entry.path)) {
            return {{RuleId::kLoads, {RuleOutcome::kUntried, missing_engine}}};
        }
        if (error.refused_for() == RefusedFor::kNow) {
            const std::string& fix = error.cause().fix;
            return {{RuleId::kLoads,
                     {RuleOutcome::kUntried, error.cause().reason, "",
                      fix.empty() ? "free memory, or raise the limits of this process (ulimit -n, "
                                    "ulimit -v), and check again"
                                  : fix}}};
        }
        const bool is_manifest = error.phase() == plugin::LoadPhase::kCompare;
        return {{is_manifest ? RuleId::kManifestEqualsCode : RuleId::kLoads,
                 {RuleOutcome::kFailed, error.cause().reason, "", error.cause().fix}}};
    } catch (const std::exception& error) {
        const Explanation why = explanation_of(error);
        return {{RuleId::kLoads, {RuleOutcome::kFailed, why.reason, "", why.fix}}};
    }
}

}  // namespace

std::vector<RuleFinding> check_loading(const plugin::CatalogEntry& entry, int time_limit_s,
                                       const std::string& missing_engine) {
    // Created here, so that it is removed even if the child crashes.
    const TemporaryPath folder = TemporaryPath::new_folder();
    ChildFindings child =
        try_in_child([&] { return load(entry, folder.path(), missing_engine); }, time_limit_s);
    if (child.failure.outcome != RuleOutcome::kPassed) {
        child.failure.reason = std::string(kLoadingIt) + child.failure.reason;
        child.findings.push_back({RuleId::kLoads, child.failure});
    }
    return std::move(child.findings);
}

}  // namespace ptp::inspect
