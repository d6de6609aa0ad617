// What changed in what a component says of itself, from one build of its plugin to another, and
// whether a running training can continue with it.
#pragma once

#include "plugin/manifest.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::pipeline {

// From harmless to worse.
enum class Change : std::int32_t {
    identical = 0,  // but for texts that people read
    widened,        // all that was possible is possible still
    narrowed,       // some experiments are refused now: this one's settings must be checked again
    breaking        // what the pipeline and the records are made from is not the same any more
};

std::string_view to_string(Change change);

struct SignatureDifference {
    Change change = Change::widened;
    std::string text;  // "range of 'rate' was [0, 1], is [0, 0.5]"

    bool operator==(const SignatureDifference&) const = default;
};

struct SignatureComparison {
    Change change = Change::identical;             // the worst of the differences
    std::vector<SignatureDifference> differences;  // in the order of the declarations

    bool operator==(const SignatureComparison&) const = default;
};

// Of one component. Where it is widened, lists may have new items at any place: bind by names.
SignatureComparison compare_signatures(const plugin::Component& running,
                                       const plugin::Component& offered);

// Of a plugin, in so far as it is used: `types` are names of the running plugin's components, and
// each difference begins with one of them: "LeNet5: setting 'dropout' has vanished".
SignatureComparison compare_signatures(const plugin::Manifest& running,
                                       const plugin::Manifest& offered,
                                       std::span<const std::string> types);

}  // namespace ptp::pipeline
