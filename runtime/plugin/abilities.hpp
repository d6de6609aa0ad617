// Queries which functions a component offers, by id. Runs the plugin's code.
#pragma once

#include "plugin/manifest.hpp"

#include <ptp/abi.h>
#include <ptp/ext/draft/migrate.h>
#include <ptp/ext/draft/onnx.h>
#include <ptp/ext/draft/sample_values.h>
#include <ptp/ext/draft/sampling.h>
#include <ptp/ext/mode.h>
#include <ptp/ext/parameters.h>
#include <ptp/ext/samples.h>
#include <ptp/ext/state.h>
#include <ptp/ext/statistics.h>
#include <ptp/ext/task.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ptp::plugin {

inline std::vector<std::string> offered_abilities(const ptp_component_info& info) {
    std::vector<std::string> offered;
    for (const char* id :
         {PTP_EXTENSION_TASK, PTP_EXTENSION_PARAMETERS, PTP_EXTENSION_MODE, PTP_EXTENSION_STATE,
          PTP_EXTENSION_MIGRATE, PTP_EXTENSION_SAMPLES, PTP_EXTENSION_SAMPLING,
          PTP_EXTENSION_STATISTICS, PTP_EXTENSION_SAMPLE_VALUES, PTP_EXTENSION_ONNX}) {
        if (info.extension(id) != nullptr) {
            offered.emplace_back(id);
        }
    }
    return offered;
}

// Counts that a component keeps over a set must be in a checkpoint; otherwise an interrupted and
// resumed training would produce other numbers.

inline constexpr const char* kForgetsCounts =
    "computes statistics over a whole set and cannot save what it has counted: a training that is "
    "interrupted and resumed would produce other values; give it state(), or export_state() and "
    "import_state() (" PTP_EXTENSION_STATE ")";

// Returns whether the component computes statistics over a whole set and does not offer
// ptp.state/1.
inline bool forgets_counts(const Component& component, const ptp_component_info& info) {
    return std::ranges::any_of(component.statistics,
                               [](const Statistic& statistic) {
                                   return statistic.aggregation == Aggregation::kComputed;
                               }) &&
           info.extension(PTP_EXTENSION_STATE) == nullptr;
}

}  // namespace ptp::plugin
