// The tensors that a pickle of PyTorch describes; their bytes are elsewhere in its file.

#pragma once

#include "engine/component/saved_state.hpp"
#include "engine/pretrained/pickle.hpp"
#include "engine/pretrained/torch_file.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace ptp::engine {

// Returns the current name of a parameter of torchvision, by its own rules; published files have
// the old names. Until 2018 layers of DenseNets were called `denselayer1.norm.1`, now
// `denselayer1.norm1` (_load_state_dict() in torchvision/models/densenet.py); until 2022 those of
// vision transformers `mlp.linear_1`, `mlp.linear_2`, now `mlp.0`, `mlp.3` (MLPBlock in
// torchvision/models/vision_transformer.py). Other names stay.
std::string present_name(const std::string& name);

// Returns the globals that a pickle of tensors needs.
const std::set<std::string_view>& torch_globals();

// The memory of one or several tensors.
struct TorchStorage {
    std::string key;  // its name in the file
    at::ScalarType type = at::kFloat;
    std::int64_t count = 0;  // of elements; as stated in the file, not checked

    [[nodiscard]] std::uint64_t byte_count() const;
};

// Returns the content of a value of kind kOutside. Throws PickleError.
TorchStorage torch_storage(const PickleValue& outside);

// Returns a one-dimensional tensor with `count` elements.
using ReadStorage = std::function<at::Tensor(const TorchStorage&)>;

// Returns the content of a state dictionary; names in nested dictionaries are joined by dots.
// Throws PickleError, and the exceptions of `read`.
SavedWeights torch_tensors(const PickleValue& root, const ReadStorage& read);

}  // namespace ptp::engine
