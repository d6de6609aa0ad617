// Advice for a section whose task cannot read the samples without targets that it was given.

#pragma once

#include "pipeline/plan.hpp"
#include "plugin/catalog.hpp"

#include <string>

namespace ptp::pipeline {

// Lines that are indented, to be added to the error: what the task reads, and which task may read
// the samples instead, with settings that result in the same sizes. "" where the plan has no such
// section, or its task no setting for such samples.
std::string unlabeled_advice(const Plan& plan, const std::string& section,
                             const plugin::Catalog& catalog);

}  // namespace ptp::pipeline
