// The versions of samples that augmentations make: what the training gets in its first epochs.

#pragma once

#include "engine/component/components.hpp"
#include "engine/component/plugins.hpp"
#include "engine/data/batch_source.hpp"
#include "engine/data_request.hpp"
#include "pipeline/plan.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace ptp::engine {

// Returns the task of the training with those transforms behind it whose inputs come from it or
// from each other. One that cannot be created without what other components publish is left out,
// and so is what reads its streams.
Components with_transforms(ComponentContext& context, const Plugins& plugins,
                           std::shared_ptr<Instance> task);

// Returns these samples as the first epochs get them, with the bits of the training: the streams of
// the source's task and of its transforms. Samples that cannot be read are left out. Throws
// RunError. [main]
SampleVersions versions_of(BatchSource& source, const pipeline::Plan& plan,
                           const std::vector<std::int64_t>& samples, std::uint64_t epochs);

}  // namespace ptp::engine
