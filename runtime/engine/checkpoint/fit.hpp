// Finds out which saved tensors fit a component, before any is copied; copies those that fit; and
// renames the tensors of a file.

#pragma once

#include "engine/component/instance.hpp"
#include "engine/pretrained/torch_file.hpp"
#include "experiment/experiment.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptp::engine {

struct Fit {
    std::vector<std::pair<at::Tensor, at::Tensor>> copies;  // to, from
    std::vector<std::string> problems;                      // "bias: is missing, Float [8]"
    std::vector<std::string> notes;         // differences from the file in what fits
    std::vector<std::string> misfits = {};  // layers with tensors of another shape or type
    std::size_t rounded = 0;                // tensors of double precision, copied to floats
    bool lacks_names = false;               // tensors of the component are not in the file
    std::vector<std::string> surplus = {};  // layers of the file that the component does not have
};

// The tensors of a file that belong to one component, under its own names and in their order.
struct Share : SavedWeights {
    bool counts_batches = false;  // some tensor of the file is a `num_batches_tracked`
};

// Returns those whose names begin with "PREFIX.", or all of them if it is empty.
Share share_of(const SavedWeights& saved, const std::string& prefix);

// The tensors to be filled.
struct Target {
    std::string title;  // "'net' (LeNet5)"
    std::vector<NamedTensor> tensors;
};

// Requires each with its shape and type, and no other.
Fit fit_exactly(const Share& share, const Target& target);

// Returns whether only sizes differ, and they do in each layer: without these nothing is loaded.
bool fits_nowhere(const Fit& fit, const std::vector<NamedTensor>& own);

// Names of tensors, and of layers for all tensors below them.
struct Selection {
    std::vector<std::string> except = {};
    std::vector<std::string> only = {};  // empty: all
};

// Like fit_exactly(), but: numbers of fewer bits are widened, which changes none of them, and those
// of double precision are rounded to floats, unless one is beyond their range; a PyTorch
// file without batch counters is older than these, which then begin at 0, as in PyTorch; tensors
// that are not selected are ignored on both sides; old names of layers in files of Hugging Face's
// transformers are today's, and their constants are left out.
Fit fit_freely(const Share& share, const Target& target, const Selection& selection = {});

// Returns whether a tensor of a component can be given other memory: it is the only one in its own,
// which is the CPU's, and libtorch has allocated that.
bool can_move(const at::Tensor& tensor);

// Gives it memory of the same size. Returns its old one.
at::DataPtr move_tensor(const at::Tensor& tensor, at::DataPtr memory);

// The ways of saved tensors into those of components.
enum class Filling {
    kCopied,
    kInPlace,  // those of a component take the memory of the saved ones, where they can
};

// Puts in what fits. In place, a tensor that can be moved takes the memory of a saved one of its
// type and shape that is the only one there, and aligned as libtorch's are, so that results have
// the same bits. Others are copied.
void fill_tensors(const Fit& fit, Filling filling);

// Returns the prefix of most of the names of these tensors in a file; nullopt if less than half of
// them are there in their sizes.
std::optional<std::string> prefix_of(const SavedWeights& saved,
                                     const std::vector<NamedTensor>& own);

// Returns whether a file has tensors in the sizes of half of these, under whatever names.
bool has_sizes_of(const SavedWeights& saved, const std::vector<NamedTensor>& own);

// Problems with renames: one that no name begins with, and names that become equal.
using RenameProblems = std::vector<std::string>;

// Renames each name once, by the longest of the renames that it begins with.
RenameProblems rename(SavedWeights& saved, const std::vector<experiment::Rename>& renames);

}  // namespace ptp::engine
