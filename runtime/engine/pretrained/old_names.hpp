// Old names of tensors in published files.

#pragma once

#include <string>

namespace ptp::engine {

// Returns the current name. Until 2018 layers of torchvision's DenseNets were called
// `denselayer1.norm.1`, now `denselayer1.norm1`; the published densenet121-a639ec97.pth still has
// the old names. The rule is torchvision's, _load_state_dict() in torchvision/models/densenet.py.
// Other names stay.
std::string present_name(const std::string& name);

}  // namespace ptp::engine
