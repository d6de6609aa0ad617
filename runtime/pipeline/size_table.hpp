// The table of sizes while shapes are solved (union-find): the name of each, which of them are
// equal, and where each known number was declared.

#pragma once

#include "pipeline/plan.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptp::pipeline {

struct Draft;

// The origin of a number.
struct SizeSource {
    std::string text;                  // "published by task of [training] (MNIST)"
    const Draft* draft = nullptr;      // the component whose `setting` decides the number
    std::string setting;               // empty: none does
    std::optional<std::size_t> index;  // the element, if the setting is a list
    bool is_setting = false;           // the number is what the setting has; there is no text

    // False for a fixed number.
    [[nodiscard]] bool is_known() const { return is_setting || !text.empty(); }
    // The text, or "pipeline.net.sizes[1]"; "" for a fixed number.
    [[nodiscard]] std::string origin() const;
};

struct Size {
    std::int64_t number = 0;
    SizeSource source;
};

// A dimension of a port; `source` states where its number comes from, if it is a number.
struct SourcedDimension {
    Dimension dimension;
    SizeSource source;
};

// Returns the dimension of a symbol, whose size may become known later.
inline SourcedDimension symbol_dimension(int symbol, std::string name = "") {
    return {{.size = std::nullopt, .symbol = symbol, .name = std::move(name)}, {}};
}

struct SourcedShape {
    bool is_known = false;  // false: "..."
    std::vector<SourcedDimension> dimensions;
};

class SizeTable {
public:
    // Has the symbol of "B" only.
    SizeTable();

    int add(std::string name);

    // Returns the size of a dimension as far as it is known; nullopt for "*" and "B".
    [[nodiscard]] std::optional<Size> size_of(const SourcedDimension& dimension) const;
    [[nodiscard]] std::optional<std::int64_t> number_of(const Dimension& dimension) const;
    [[nodiscard]] std::optional<std::int64_t> number_of(int symbol) const;

    // Returns whether it is the number of samples in a batch.
    [[nodiscard]] bool is_batch(const SourcedDimension& dimension) const;

    // Makes the two one size; false if they are different numbers, and then nothing is changed.
    bool unify(const SourcedDimension& left, const SourcedDimension& right);

    // The symbols that are left when equal ones are one, and for each symbol added its position
    // there.
    [[nodiscard]] std::vector<Symbol> symbols(std::vector<int>& positions) const;

private:
    struct Entry {
        int parent = -1;  // -1: is its own root
        std::string name;
        std::optional<Size> size = {};
    };

    [[nodiscard]] int root(int symbol) const;

    std::vector<Entry> entries_;
};

}  // namespace ptp::pipeline
