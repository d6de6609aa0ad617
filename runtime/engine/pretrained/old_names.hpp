// Names of tensors in published files that are not the names of today.

#pragma once

#include <string>

namespace ptp::engine {

// Until 2018 layers of torchvision's DenseNets were called `denselayer1.norm.1`, which is
// `denselayer1.norm1` now; the published densenet121-a639ec97.pth still has the old names. The rule
// is the rule of torchvision, _load_state_dict() in torchvision/models/densenet.py. Others stay.
std::string present_name(const std::string& name);

}  // namespace ptp::engine
