// Files of weights: safetensors, and what torch.save() writes.

#include "base/error.hpp"
#include "engine/checkpoint/safetensors.hpp"
#include "engine/pretrained/pickle.hpp"
#include "engine/pretrained/torch_pickle.hpp"
#include "fuzz/expect.hpp"
#include "fuzz/input_file.hpp"
#include "fuzz/targets.hpp"

#include <ATen/Functions.h>

#include <cstdint>

namespace ptp::fuzz {

namespace {

// Tensors of a file are made of its bytes, and some bytes may be used several times.
void check_size(const engine::TensorsByName& tensors, std::size_t file_size) {
    for (const auto& [name, tensor] : tensors) {
        expect(tensor.storage().nbytes() <= file_size, "a tensor is not larger than its file");
    }
}

}  // namespace

void safetensors(std::string_view input) {
    const InputFile file(input);
    try {
        check_size(engine::read_safetensors(file.path()).tensors, input.size());
    } catch (const RunError& error) {
        expect(error.code() == kDataError, "a damaged file is an error of the data");
    }
}

void torch_zip(std::string_view input) {
    const InputFile file(input);
    try {
        check_size(engine::read_weights(file.path()).tensors, input.size());
    } catch (const RunError& error) {
        expect(error.code() == kDataError, "a damaged file is an error of the data");
    }
}

void pickle(std::string_view input) {
    constexpr std::int64_t kMaxElements = 1 << 16;
    const auto storage = [](const engine::TorchStorage& wanted) {
        if (wanted.count < 0 || wanted.count > kMaxElements) {
            throw engine::PickleError("its storage is not in the file");
        }
        return at::zeros({wanted.count}, wanted.type);
    };
    try {
        const engine::Pickle read(input, engine::torch_globals());
        expect(read.size() <= input.size(), "no more is read than there is");
        engine::torch_tensors(read.root(), storage);
    } catch (const engine::PickleError&) {
    }
}

}  // namespace ptp::fuzz
