// What of saved tensors fits an instance, and what does not. Nothing is copied while that is found
// out.

#pragma once

#include "engine/checkpoint/read_weights.hpp"
#include "engine/component/instance.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptp::engine {

struct Fit {
    std::vector<std::pair<at::Tensor, at::Tensor>> copies;  // to, from
    std::vector<std::string> problems;                      // "bias: is missing, Float [8]"
    std::vector<std::string> notes;  // what fits, but not as it is in the file
    bool lacks_names = false;        // tensors of the component are not in the file
    bool has_other_names = false;    // tensors of the file are not in the component
};

// The tensors of a file that belong to one component, under its own names.
struct Share {
    std::map<std::string, at::Tensor> tensors;
    std::vector<std::string> others;  // values that are not tensors
    bool is_from_torch = false;
    bool counts_batches = false;  // some tensor of the file is a `num_batches_tracked`
};

// Those whose names begin with "PREFIX."; all of them if it is empty.
Share share_of(const SavedWeights& saved, const std::string& prefix);

// What is to be filled.
struct Target {
    std::string title;  // "'net' (LeNet5)"
    std::vector<NamedTensor> tensors;
};

// Each must be there with its shape and type, and no other.
Fit fit_exactly(const Share& share, const Target& target);

// Names of tensors, and of layers for all tensors below them.
struct Selection {
    std::vector<std::string> except = {};
    std::vector<std::string> only = {};  // empty: all
};

// The same, but: numbers of fewer bits are widened, which changes none of them; and a file
// of PyTorch that counts no batches is older than these counters, which then begin at 0, as PyTorch
// has it. Tensors that are not selected are left out on both sides.
Fit fit_freely(const Share& share, const Target& target, const Selection& selection = {});

void copy(const Fit& fit);

// The prefix of the names of these tensors in a file, that is, of most of them; nothing if
// none is in it.
std::optional<std::string> prefix_of(const SavedWeights& saved,
                                     const std::vector<NamedTensor>& own);

}  // namespace ptp::engine
