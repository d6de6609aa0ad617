// The items of sequences that are real; others only fill a batch up.
#pragma once

#include "tensor_checks.hpp"

#include <ptp/declare.hpp>
#include <ptp/error.hpp>

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>

#include <limits>
#include <string>

namespace layers {

constexpr ptp::Port lengths_port(const char* name = "lengths") {
    return ptp::input(name, PTP_INTEGER, "B", "Number of real items of each sequence").optional();
}
constexpr ptp::Port masks_port(const char* name, const char* shape) {
    return ptp::input(name, PTP_BOOL, shape, "False for items that are filling").optional();
}

// Sequences, [B, T, ...], with the name of their stream's port.
struct Sequences {
    const char* name;
    const at::Tensor& values;
};

// Throws DataError unless each length is one of the sequences.
inline void check_lengths(const char* name, const at::Tensor& lengths, const Sequences& of) {
    ptp::support::require_sizes(name, lengths, of.values.sizes().slice(0, 1),
                                "one for each sample");
    const int64_t items = of.values.size(1);
    ptp::support::require_none(
        ptp::support::are_outside(lengths, 1, items + 1), name, lengths,
        "be in [1, " + std::to_string(items) + "], the number of items that " + of.name + " has");
}

// The two ways to state which items are real; null for one that is not wired.
struct RealPlaces {
    const char* lengths_name;
    const at::Tensor* lengths;
    const char* masks_name;
    const at::Tensor* masks;
};

// Returns what torch.nn calls a key padding mask, [B, T], true for filling; without any filling an
// undefined tensor. With both, an item is real if both state it.
inline at::Tensor padding_mask(const RealPlaces& places, const Sequences& of) {
    at::Tensor is_filling;
    if (places.lengths != nullptr) {
        check_lengths(places.lengths_name, *places.lengths, of);
        const at::Tensor numbers = at::arange(of.values.size(1), places.lengths->options());
        is_filling = numbers >= places.lengths->unsqueeze(1);  // [T], [B, 1] -> [B, T]
    }
    if (places.masks != nullptr) {
        ptp::support::require_sizes(places.masks_name, *places.masks, of.values.sizes().slice(0, 2),
                                    "one for each item");
        const at::Tensor masked = places.masks->logical_not();
        is_filling = is_filling.defined() ? is_filling.logical_or(masked) : masked;
        const at::Tensor has_none = is_filling.all(1);
        if (has_none.any().item<bool>()) {
            throw ptp::DataError(places.masks_name, " is false for all items of sample ",
                                 has_none.nonzero()[0].item<int64_t>(), " of ", of.name,
                                 ": attention needs one that is real");
        }
    }
    return is_filling;
}

// Returns what torch.nn calls an attention mask, [T, T], which keeps items from attending to later
// ones. `is_filling` is what padding_mask() returned: an item without any key has no value.
inline at::Tensor causal_mask(const RealPlaces& places, const Sequences& of,
                              const at::Tensor& is_filling) {
    if (places.masks != nullptr && is_filling.select(1, 0).any().item<bool>()) {
        throw ptp::DataError(places.masks_name, " is false for the first item of sample ",
                             is_filling.select(1, 0).nonzero()[0].item<int64_t>(), " of ", of.name,
                             ": with is_causal filling comes after the real items");
    }
    const int64_t items = of.values.size(1);
    return at::full({items, items}, -std::numeric_limits<double>::infinity(), of.values.options())
        .triu(1);
}

}  // namespace layers
