// Keeps sets of equal sizes as trees (union-find); the root of a set is its first symbol.

#include "base/text.hpp"
#include "pipeline/shapes.hpp"
#include "pipeline/sizes.hpp"

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

Dimension SizeTable::number(std::int64_t number, SizeSource source) {
    sources_.push_back(std::move(source));
    return {.size = number, .source = static_cast<int>(sources_.size()) - 1};
}

std::optional<Size> SizeTable::size_of(const Dimension& dimension) const {
    if (dimension.size) {
        return Size{*dimension.size,
                    dimension.source < 0 ? SizeSource() : sources_[index(dimension.source)]};
    }
    return dimension.symbol < 0 ? std::nullopt : entries_[index(root(dimension.symbol))].size;
}

std::optional<std::int64_t> SizeTable::number_of(const Dimension& dimension) const {
    if (dimension.size || dimension.symbol < 0) {
        return dimension.size;
    }
    const std::optional<Size>& size = entries_[index(root(dimension.symbol))].size;
    return size ? std::optional(size->number) : std::nullopt;
}

bool SizeTable::is_batch(const Dimension& dimension) const {
    return dimension.symbol >= 0 && root(dimension.symbol) == kBatchSymbol;
}

bool SizeTable::unify(const Dimension& left, const Dimension& right) {
    const std::optional<std::int64_t> left_size = number_of(left);
    const std::optional<std::int64_t> right_size = number_of(right);
    if (left_size && right_size && *left_size != *right_size) {
        return false;
    }
    const int left_root = left.symbol < 0 ? -1 : root(left.symbol);
    const int right_root = right.symbol < 0 ? -1 : root(right.symbol);
    if (left_root == right_root) {
        return true;
    }

    // The number of samples differs from batch to batch, so it is never bound to a number. Whether
    // a batch has the fixed size that a port requires is checked while the training runs.
    const bool has_batch = left_root == kBatchSymbol || right_root == kBatchSymbol;
    if (has_batch && (left_size || right_size)) {
        return true;
    }
    // A number alone has no root. Of two roots, the one with the lower index remains.
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
    // A root has the lowest index of its set.
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const int representative = root(static_cast<int>(i));
        if (representative != static_cast<int>(i)) {
            positions[i] = positions[index(representative)];
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

std::string shape_text(const SizeTable& sizes, const std::vector<Dimension>& shape) {
    std::vector<std::string> parts;
    for (const Dimension& dimension : shape) {
        parts.push_back(dimension_text(dimension.name, sizes.number_of(dimension)));
    }
    return fmt::format("[{}]", join(parts, ", "));
}

}  // namespace ptp::pipeline
