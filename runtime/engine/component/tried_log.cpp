// Counts, and writes lines into the log.

#include "engine/component/tried_log.hpp"

#include "base/text.hpp"
#include "engine/component/host.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::engine {

void TriedLog::add(const std::vector<TriedSamples>& tried) {
    for (const TriedSamples& one : tried) {
        const auto is_same = [&](const Count& count) {
            return count.section == one.section && count.component == one.component;
        };
        auto count = std::ranges::find_if(counts_, is_same);
        if (count == counts_.end()) {
            count = counts_.insert(counts_.end(), Count{one.section, one.component});
        }
        if (one.refused > 0 && count->refused == 0) {
            log_->info(
                fmt::format("'{}' (try): '{}' refuses sample {}, and others without a "
                            "further line: {}",
                            one.section, one.component, one.first_refused, one.reason));
        }
        count->taken += one.taken;
        count->refused += one.refused;
    }
}

void TriedLog::finish() {
    std::vector<std::string> sections;
    for (const Count& count : counts_) {
        if (!contains(sections, count.section)) {
            sections.push_back(count.section);
        }
    }
    for (const std::string& section : sections) {
        std::vector<std::string> parts;
        for (const Count& count : counts_) {
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
