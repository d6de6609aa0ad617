// Compares the declarations of a component in two builds of its plugin, and decides whether a
// running training can continue with the newer one.
#pragma once

#include "plugin/manifest.hpp"

#include <string>
#include <vector>

namespace ptp::pipeline {

struct SignatureDifference {
    std::string text;  // "range of 'rate' was [0, 1], is [0, 0.5]"
    // The change is one of the facts that the pipeline and the records are made from. Otherwise the
    // settings of the experiment may be refused now.
    bool is_breaking = false;

    bool operator==(const SignatureDifference&) const = default;
};

// In the order of the declarations, without changes of texts that people read. Lists may have new
// items at any place: bind by names.
std::vector<SignatureDifference> compare_signatures(const plugin::Component& running,
                                                    const plugin::Component& offered);

}  // namespace ptp::pipeline
