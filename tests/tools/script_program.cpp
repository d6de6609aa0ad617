// A program of somebody who has libtorch and nothing of ptp: loads TorchScript, runs it on batches
// whose numbers are 0, 1, 2 ... divided by their count, and prints each sample's outputs.
// script_program FILE BATCH SIZE...: the sizes of a sample.

#include <torch/script.h>

#include <cstdint>
#include <exception>
#include <iostream>
#include <vector>

namespace {

void print_rows(const at::Tensor& output) {
    const at::Tensor rows = output.reshape({output.size(0), -1});
    for (std::int64_t i = 0; i < rows.size(0); ++i) {
        for (std::int64_t k = 0; k < rows.size(1); ++k) {
            std::cout << (k == 0 ? "" : " ") << rows[i][k].item<float>();
        }
        std::cout << '\n';
    }
}

void run(int count, char** words) {
    std::cout.precision(9);  // all digits of a float
    std::vector<std::int64_t> sizes;
    for (int i = 2; i < count; ++i) {
        sizes.push_back(std::atoll(words[i]));
    }
    torch::jit::Module module = torch::jit::load(words[1]);
    const c10::InferenceMode guard;
    at::Tensor sample = at::ones(std::vector<std::int64_t>(sizes.begin() + 1, sizes.end()));
    sample = at::arange(sample.numel()).view_as(sample) / static_cast<double>(sample.numel());
    print_rows(module.forward({sample.expand(sizes).contiguous()}).toTensor());
}

}  // namespace

int main(int count, char** words) {
    try {
        run(count, words);
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
    return 0;
}
