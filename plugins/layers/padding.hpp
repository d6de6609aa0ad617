// The padding of convolutions: by numbers at each border, or so that stride 1 keeps the size; with
// zeros, or with what is in the input.
#pragma once

#include "windows.hpp"

#include <ptp/declare.hpp>
#include <ptp/settings.hpp>

#include <ATen/ops/pad.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

namespace layers {

enum class PaddingMode { kZeros, kReflect, kReplicate, kCircular };

template <class Config>
constexpr auto padding_settings() {
    return std::tuple{
        ptp::setting("padding_same", &Config::padding_same,
                     {.help = "Whether the padding keeps the size; padding = \"same\" is it, too"}),
        ptp::setting("padding_mode", &Config::padding_mode,
                     {.help = "What the input is padded with",
                      .choices = "zeros|reflect|replicate|circular"})};
}

constexpr const char* kOnePadding = "must be left out with padding = \"same\"";
constexpr const char* kNoStride = "must be 1 with padding = \"same\"";
constexpr const char* kReflectsTooMuch =
    "must be less than the size of its input there, for padding_mode = \"reflect\"";
constexpr const char* kWrapsTooMuch =
    "must be at most the size of its input there, for padding_mode = \"circular\"";
constexpr const char* kKernelReflectsTooMuch =
    "needs a padding of half of it, which must be less than the size of its input there, for "
    "padding_mode = \"reflect\"";
constexpr const char* kKernelWrapsTooMuch =
    "needs a padding of half of it, which must be at most the size of its input there, for "
    "padding_mode = \"circular\"";

// The numbers of windows, with one for all dimensions or one for each.
struct Windows {
    Sizes kernel_size;
    Sizes padding;
    Sizes dilation;
    bool padding_same = false;
    PaddingMode padding_mode = PaddingMode::kZeros;
};

// The numbers that a convolution over `count` dimensions adds at each border, and those that are
// added before, because it cannot add more at one border than at the other, or other than zeros.
template <std::size_t count>
class Padding {
public:
    // The larger half of an odd number comes behind, as in torch.nn.
    explicit Padding(const Windows& windows) : mode_(windows.padding_mode) {
        const auto kernel_size = *expanded<count>(windows.kernel_size);
        const auto dilation = *expanded<count>(windows.dilation);
        const auto padding = *expanded<count>(windows.padding);
        bool is_even = true;
        for (std::size_t i = count; i-- > 0;) {  // at::pad() takes the last dimension first
            const std::int64_t total =
                windows.padding_same ? dilation[i] * (kernel_size[i] - 1) : 2 * padding[i];
            before_.insert(before_.end(), {total / 2, total - total / 2});
            inside_[i] = total / 2;
            is_even = is_even && total % 2 == 0;
        }
        if (is_even && mode_ == PaddingMode::kZeros) {
            before_.clear();
        } else {
            inside_.fill(0);
        }
    }

    [[nodiscard]] torch::ExpandingArray<count> of_convolution() const { return inside_; }

    [[nodiscard]] at::Tensor padded(const at::Tensor& inputs) const {
        constexpr std::array kModes = {"constant", "reflect", "replicate", "circular"};
        return before_.empty() ? inputs
                               : at::pad(inputs, before_, kModes[static_cast<std::size_t>(mode_)]);
    }

private:
    PaddingMode mode_;
    std::array<std::int64_t, count> inside_ = {};
    std::vector<std::int64_t> before_;
};

}  // namespace layers
