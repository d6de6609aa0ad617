// Components that a message may suggest. They are looked up in the catalog by what they declare,
// with their default settings: the host knows no component by its name.

#pragma once

#include "pipeline/wiring.hpp"
#include "plugin/catalog.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ptp::pipeline {

// The form of the values of a port: the kind of its elements, and its number of dimensions.
struct Form {
    plugin::Element element = plugin::Element::kFloating;
    std::size_t rank = 0;
};

// Returns the transform that makes `wanted` of a stream of this form; "" if there is none. With
// `keeps_values` it is one that only reshapes: the first that needs no settings, or else one whose
// output is declared as the input's values in another shape.
std::string transform_between(const plugin::Catalog& catalog, const Form& form, const Form& wanted,
                              bool keeps_values);

// Returns "CrossEntropyLoss or NLLLoss", losses that read one class index for each sample and its
// scores; "" if there are none.
std::string losses_for_classes(const plugin::Catalog& catalog);

// Returns the first loss that reads streams of the names that these have; "" if there is none.
std::string loss_that_reads(const plugin::Catalog& catalog,
                            const std::vector<WiredStream>& streams);

// Returns the component that publishes globals which a setting lists; "" if there is none.
std::string publisher_of_settings(const plugin::Catalog& catalog);

}  // namespace ptp::pipeline
