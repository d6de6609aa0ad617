// A pipeline around one component, made up from what the component says of itself: settings that are
// required get a value that is allowed, streams and globals that it reads come from a task that
// exists in the plan only.

#pragma once

#include "config/value.hpp"
#include "pipeline/plan.hpp"
#include "plugin/catalog.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ptp::engine {

// What a component can be made for is not all said by its declaration, so that several are tried.
struct Guess {
    std::int64_t side = 32;                    // of images
    std::int64_t size = 4;                     // of all else that has a name
    config::Value constant = std::int64_t{4};  // of a global that is no size
};

struct LonePipeline {
    // Throws std::runtime_error, which says why there is no such pipeline. The entry must outlive it.
    LonePipeline(const plugin::CatalogEntry& entry, const plugin::Component& component,
                 const Guess& guess);
    LonePipeline(const LonePipeline&) = delete;
    LonePipeline& operator=(const LonePipeline&) = delete;

    [[nodiscard]] const pipeline::Node& node() const {
        return plan.nodes.empty() ? plan.tasks.front() : plan.nodes.front();
    }

    plugin::Catalog catalog;
    pipeline::Plan plan;  // with all sizes but those that the component publishes; the catalog must
                          // outlive a copy
    std::vector<config::Member> globals;  // to be published before the component is created
};

}  // namespace ptp::engine
