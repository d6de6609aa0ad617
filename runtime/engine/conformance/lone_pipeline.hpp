// A pipeline around one component: the streams and globals that it reads come from a task that
// exists only in the plan, with made-up sizes that fit each other.

#pragma once

#include "base/diagnostics.hpp"
#include "base/value.hpp"
#include "engine/conformance/guess.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/plan.hpp"
#include "plugin/catalog.hpp"

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace ptp::engine {

// A component to try, as in an experiment.
struct CheckedComponent {
    const plugin::CatalogEntry& plugin;
    const plugin::Component& component;
    const experiment::ComponentEntry& entry;  // includes its settings, and names of globals
    std::filesystem::path home = {};          // the expansion of "~"
};

// The reason why there is no pipeline around a component.
class NoPipeline : public std::runtime_error {
public:
    explicit NoPipeline(const Diagnostics& problems)
        : std::runtime_error(problems.text()), reasons_(problems.reasons()) {}

    // Returns what() without the fixes, which are for an experiment.
    [[nodiscard]] const std::string& reasons() const { return reasons_; }

private:
    std::string reasons_;
};

struct LonePipeline {
    // Throws NoPipeline. The plugin must outlive it.
    LonePipeline(const CheckedComponent& candidate, const Guess& guess);
    ~LonePipeline() = default;
    LonePipeline(const LonePipeline&) = delete;
    LonePipeline& operator=(const LonePipeline&) = delete;

    [[nodiscard]] const pipeline::Node& node() const {
        return plan.nodes.empty() ? plan.tasks.front() : plan.nodes.front();
    }

    // Returns equal texts for equal sizes and constants.
    [[nodiscard]] std::string text() const;

    Guess guess;
    plugin::Catalog catalog;
    // With all sizes except those that only the created component knows; the catalog must outlive
    // a copy.
    pipeline::Plan plan;
    std::vector<Member> globals;  // to be published before the component is created
};

}  // namespace ptp::engine
