// Formats rows of cells as aligned columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::inspect {

class Table {
public:
    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
    [[nodiscard]] bool empty() const { return rows_.empty(); }

    // Returns a line for each row. Columns are two spaces apart; empty columns are omitted.
    [[nodiscard]] std::string text(std::string_view indent) const;

private:
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace ptp::inspect
