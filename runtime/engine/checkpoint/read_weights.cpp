// Reads a file of weights in the format that its content has.

#include "engine/checkpoint/read_weights.hpp"

#include "base/error.hpp"
#include "engine/checkpoint/safetensors.hpp"
#include "engine/pretrained/pickle.hpp"
#include "experiment/weights_file.hpp"

#include <fmt/core.h>

#include <string>

namespace ptp::engine {

SavedWeights read_weights(const std::filesystem::path& path) {
    std::string problem;
    try {
        switch (experiment::weights_form(path)) {
            case experiment::WeightsForm::kTorchZip:
                return read_torch_zip(path);
            case experiment::WeightsForm::kTorchLegacy:
                return read_torch_legacy(path);
            case experiment::WeightsForm::kSafetensors:
                return {read_safetensors(path).tensors, {}, false};
            case experiment::WeightsForm::kNone:
                problem = experiment::why_no_weights(path);
                break;
        }
    } catch (const PickleError& error) {
        problem = error.what();
    }
    throw RunError(kDataError, fmt::format("{}: {}", path.string(), problem));
}

}  // namespace ptp::engine
