#include "engine/pretrained/read_weights.hpp"

#include "base/error.hpp"
#include "config/weights_file.hpp"

#include <fmt/core.h>

#include <utility>

namespace ptp::engine {

SavedWeights read_weights(const std::filesystem::path& path) {
    switch (config::weights_form(path)) {
        case config::WeightsForm::kTorchZip:
            return read_torch_zip(path);
        case config::WeightsForm::kTorchLegacy:
            return read_torch_legacy(path);
        case config::WeightsForm::kSafetensors:
            return {read_safetensors(path).tensors, {}, false};
        case config::WeightsForm::kNone:
            break;
    }
    throw RunError(kDataError, fmt::format("{}: {}", path.string(), config::why_no_weights(path)));
}

}  // namespace ptp::engine
