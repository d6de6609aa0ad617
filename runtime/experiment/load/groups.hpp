// Groups: [group.NAME] is a part of a pipeline that is used several times, each with other streams.
//
//     [group.tower]
//     streams = ["images", "vectors"]      # those of the outside
//     parameters = { channels = 16 }
//     [group.tower.encoder]
//     type = "ConvNetEncoder"
//     conv1 = { out_channels = "${channels}" }
//     streams = { inputs = "images", feature_maps = "maps" }
//
//     [pipeline.left]                      # becomes [pipeline.left_encoder] ...
//     use = "tower"
//     streams = { images = "left_images", vectors = "left_vectors" }

#pragma once

#include "base/diagnostics.hpp"
#include "base/source_location.hpp"
#include "base/value.hpp"
#include "experiment/load/load.hpp"
#include "schema/key.hpp"

#include <string>
#include <vector>

namespace ptp::experiment {

// Replaces the tables with `use` in [pipeline] by the components of their groups, and removes
// [group]. `layers` (optional) receives the components as a layer of their own. Returns the uses.
GroupUses expand_groups(Value& root, Diagnostics& problems, Layers* layers);

// The keys of a table with `use`.
std::vector<schema::Key> use_keys();

// Adds an error at each use of a group in whose components there are errors, which are placed in
// the group.
void name_uses(const GroupUses& uses, Diagnostics& problems);

}  // namespace ptp::experiment
