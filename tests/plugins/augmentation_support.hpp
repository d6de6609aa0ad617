// What the tests of the augmentations share.
#pragma once

#include "support.hpp"
#include "support/golden.hpp"

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace test {

// Element k, in row-major order, is cos(0.7 k + phase).
at::Tensor wave(at::IntArrayRef shape, double phase);

// Seeds 0, 1, 2, ...
inline std::vector<uint64_t> seeds(int64_t count) {
    std::vector<uint64_t> made(static_cast<std::size_t>(count));
    std::iota(made.begin(), made.end(), 0);
    return made;
}

inline Slots slots(const std::map<std::string, at::Tensor>& tensors) {
    Slots made;
    for (const auto& named : tensors) {
        made[named.first] = named.second;
    }
    return made;
}

// The outputs of an augmentation without further streams.
inline at::Tensor augment(Component& component, const at::Tensor& images, bool is_training = true) {
    return component.transform(slots({{"inputs", images}}), seeds(images.size(0)), is_training)
        .at("outputs")
        .tensor();
}

inline bool is_near(const at::Tensor& found, const std::string& line) {
    const auto wanted = ptp::test::golden("transforms", line);
    return torch::allclose(found.flatten().to(torch::kDouble),
                           torch::tensor(wanted, torch::kDouble), 1e-5, 1e-5);
}

// Images in which pixel k is k / pixels, all alike.
inline at::Tensor counted_images(int64_t count, int64_t height, int64_t width) {
    return (torch::arange(height * width, torch::kFloat) / static_cast<double>(height * width))
        .reshape({1, 1, height, width})
        .repeat({count, 1, 1, 1});
}

struct Wrong {
    const char* settings;
    const char* message;
};

// What every augmentation does: the same draw wherever a sample stands and whatever is beside it,
// nothing outside of training unless asked, another image for another seed, an input that stays as
// it is, and an error where streams have no names for what becomes of them. `settings` must give a
// draw that is visible for most of 8 seeds.
void check_augmentation(const std::string& type, const std::string& settings);

}  // namespace test
