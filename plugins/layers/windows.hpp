// Settings of layers with windows over images: one number for height and width, or one for each.
#pragma once

#include <torch/expanding_array.h>
#include <ptp/settings.hpp>

#include <cstdint>
#include <vector>

namespace layers {

using Sizes = std::vector<std::int64_t>;

// Returns a setting of one number for height and width, or one for each.
template <class Config, class Member>
constexpr auto sides_setting(const char* name, Member Config::*member, const char* help,
                             const char* range) {
    return ptp::setting(
        name, member,
        {.help = help, .range = range, .length = "[1, 2]", .takes_list_or_one = true});
}

// Returns the setting `kernel_size`, which has no default.
template <class Config>
constexpr auto kernel_setting(const char* help) {
    return ptp::setting("kernel_size", &Config::kernel_size,
                        {.help = help,
                         .range = "[1, inf)",
                         .length = "[1, 2]",
                         .is_required = true,
                         .takes_list_or_one = true});
}

// Returns one number for each of `count` dimensions, from a list of one or of them all.
template <std::size_t count>
torch::ExpandingArray<count> expanded(const Sizes& sizes) {
    return sizes.size() == 1 ? torch::ExpandingArray<count>(sizes.front())
                             : torch::ExpandingArray<count>(sizes);
}

constexpr const char* kTooLarge =
    "must be at most the height of its input with the padding; take larger images, smaller kernels "
    "or more padding";
constexpr const char* kTooWide =
    "must be at most the width of its input with the padding; take larger images, smaller kernels "
    "or more padding";

constexpr const char* kCeilMode = "Whether the number of windows is rounded up, not down";
constexpr const char* kTooLargeRoundedUp =
    "must be at most the height of its input with the padding and stride - 1, which ceil_mode adds";
constexpr const char* kTooWideRoundedUp =
    "must be at most the width of its input with the padding and stride - 1, which ceil_mode adds";

}  // namespace layers
