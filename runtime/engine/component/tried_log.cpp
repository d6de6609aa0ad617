// Counts how many samples each component of a `try` takes, and writes that into the log.

#include "engine/component/tried_log.hpp"

#include "base/text.hpp"
#include "engine/component/host.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::engine {

namespace {

TriedCount& count_of(std::vector<TriedCount>& counts, const std::string& section,
                     const std::string& component) {
    const auto found = std::ranges::find_if(counts, [&](const TriedCount& count) {
        return count.section == section && count.component == component;
    });
    return found == counts.end() ? counts.emplace_back(TriedCount{section, component}) : *found;
}

}  // namespace

void TriedLog::add(const std::vector<TriedSamples>& tried) {
    for (const TriedSamples& one : tried) {
        TriedCount& count = count_of(counts_, one.section, one.component);
        if (one.refused > 0 && count.refused == 0) {
            log_->info(
                fmt::format("'{}' (try): '{}' refuses sample {}, and others without a "
                            "further line: {}",
                            one.section, one.component, one.first_refused, one.reason));
        }
        count.taken += one.taken;
        count.refused += one.refused;
    }
}

std::vector<TriedCount> TriedLog::counts(const pipeline::Plan& plan) const {
    std::vector<TriedCount> counts;
    std::vector<TriedCount> own = counts_;
    for (const pipeline::Node& node : plan.nodes) {
        for (const std::string& component : node.tries) {
            counts.push_back(count_of(own, node.tried_in, component));
        }
    }
    return counts;
}

void TriedLog::finish(const std::vector<TriedCount>& counts) {
    std::vector<std::string> sections;
    for (const TriedCount& count : counts) {
        if (count.taken + count.refused > 0 && !contains(sections, count.section)) {
            sections.push_back(count.section);
        }
    }
    for (const std::string& section : sections) {
        std::vector<std::string> parts;
        for (const TriedCount& count : counts) {
            if (count.section == section) {
                parts.push_back(fmt::format("'{}' took {} and refused {}", count.component,
                                            count.taken, count.refused));
            }
        }
        log_->log(kResultOfComponent, spdlog::level::info,
                  fmt::format("'{}' (try), samples since it began or was resumed: {}", section,
                              join(parts, ", ")));
    }
    counts_.clear();
}

}  // namespace ptp::engine
