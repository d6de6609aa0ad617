// Keeps sets of equal sizes as trees (union-find); the root of a set is its first symbol.
#include "pipeline/size_table.hpp"

#include "pipeline/draft.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace ptp::pipeline {

namespace {

std::size_t index(int symbol) {
    return static_cast<std::size_t>(symbol);
}

}  // namespace

std::string SizeSource::origin() const {
    if (!is_setting || !text.empty()) {
        return text;
    }
    const std::string key = draft->node.path + "." + setting;
    return index ? fmt::format("{}[{}]", key, *index) : key;
}

SizeTable::SizeTable() {
    add("B");
}

int SizeTable::add(std::string name) {
    entries_.push_back({.name = std::move(name)});
    return static_cast<int>(entries_.size()) - 1;
}

int SizeTable::root(int symbol) const {
    while (entries_[index(symbol)].parent >= 0) {
        symbol = entries_[index(symbol)].parent;
    }
    return symbol;
}

std::optional<Size> SizeTable::size_of(const SourcedDimension& dimension) const {
    if (dimension.dimension.size) {
        return Size{*dimension.dimension.size, dimension.source};
    }
    if (dimension.dimension.symbol < 0) {
        return std::nullopt;
    }
    return entries_[index(root(dimension.dimension.symbol))].size;
}

std::optional<std::int64_t> SizeTable::number_of(const Dimension& dimension) const {
    return dimension.size || dimension.symbol < 0 ? dimension.size : number_of(dimension.symbol);
}

std::optional<std::int64_t> SizeTable::number_of(int symbol) const {
    const std::optional<Size>& size = entries_[index(root(symbol))].size;
    return size ? std::optional(size->number) : std::nullopt;
}

bool SizeTable::is_batch(const SourcedDimension& dimension) const {
    return dimension.dimension.symbol >= 0 && root(dimension.dimension.symbol) == kBatchSymbol;
}

bool SizeTable::unify(const SourcedDimension& left, const SourcedDimension& right) {
    const std::optional<std::int64_t> left_size = number_of(left.dimension);
    const std::optional<std::int64_t> right_size = number_of(right.dimension);
    if (left_size && right_size && *left_size != *right_size) {
        return false;
    }
    const int left_root = left.dimension.symbol < 0 ? -1 : root(left.dimension.symbol);
    const int right_root = right.dimension.symbol < 0 ? -1 : root(right.dimension.symbol);
    if (left_root == right_root) {
        return true;
    }

    // The number of samples differs from batch to batch, so it is never bound to a number; that a
    // batch has the fixed size that a port asks for is seen when it flows.
    const bool has_batch = left_root == kBatchSymbol || right_root == kBatchSymbol;
    if (has_batch && (left_size || right_size)) {
        return true;
    }
    // A number alone has no root. Of two roots the one with the lower number remains.
    const int lower = std::min(left_root, right_root);
    const int higher = std::max(left_root, right_root);
    auto& size = entries_[index(lower >= 0 ? lower : higher)].size;
    if (!size) {
        size = size_of(left_size ? left : right);
    }
    if (lower >= 0) {
        entries_[index(higher)].parent = lower;
    }
    return true;
}

std::vector<Symbol> SizeTable::symbols(std::vector<int>& positions) const {
    std::vector<Symbol> result;
    positions.assign(entries_.size(), -1);
    // A root has the lowest number of its set.
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const int stands_for = root(static_cast<int>(i));
        if (stands_for != static_cast<int>(i)) {
            positions[i] = positions[index(stands_for)];
            continue;
        }
        positions[i] = static_cast<int>(result.size());
        const Entry& entry = entries_[i];
        Symbol symbol{.name = entry.name, .size = std::nullopt, .origin = ""};
        if (entry.size) {
            symbol.size = entry.size->number;
            symbol.origin = entry.size->source.origin();
        }
        result.push_back(std::move(symbol));
    }
    return result;
}

}  // namespace ptp::pipeline
