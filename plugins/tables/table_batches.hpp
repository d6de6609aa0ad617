// The streams of a batch, from the samples of a section. Those of columns that no setting names are
// empty.
#pragma once

#include "table_samples.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Returns what `make` makes of the first column, if a setting names it alone, and of the others.
template <class Column, class Make>
auto split_first(const std::vector<Column>& columns, bool has_first, const Make& make) {
    using Made = decltype(make(columns[0]));
    std::pair<Made, std::vector<Made>> all;
    for (size_t i = 0; i < columns.size(); ++i) {
        if (i == 0 && has_first) {
            all.first = make(columns[i]);
        } else {
            all.second.push_back(make(columns[i]));
        }
    }
    return all;
}

std::vector<std::string_view> texts_of(const ptp::support::Texts& all,
                                       std::span<const int64_t> samples);

// Returns [B, width].
at::Tensor numbers_of(const SampleNumbers& all, std::span<const int64_t> samples);

// Returns [B], of numbers of the width 1.
at::Tensor weights_of(const SampleNumbers& all, std::span<const int64_t> samples);

// Returns [B].
at::Tensor targets_of(const std::vector<int64_t>& all, std::span<const int64_t> samples);

// Returns these as 1 and 0: [B, 1].
at::Tensor binary_targets(const std::vector<int64_t>& all, std::span<const int64_t> samples);

// Returns the names of the classes, and what else is in their place.
std::vector<std::string_view> labels_of(const TableSamples& all,
                                        const std::vector<std::string>& classes,
                                        std::span<const int64_t> samples);

// Returns 1 for each class of a sample, else 0: [B, C].
at::Tensor flags_of(const ClassLists& lists, size_t class_count, std::span<const int64_t> samples);
