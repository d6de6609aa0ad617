// The layers of a list, with those that follow each other and have a faster kernel together.
#pragma once

#include <ptp/layers.hpp>

namespace layers {

// Returns the list with each ReLU before a max-pooling of 2 x 2 computed together with it, which
// has the same bits.
ptp::LayerList make_list(const ptp::Layers& layers, const ptp::Setup& setup);

}  // namespace layers
