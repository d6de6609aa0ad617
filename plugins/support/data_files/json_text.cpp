// Takes each member of an object as the text of a cell.

#include "json_text.hpp"

#include "class_warnings.hpp"

#include <nlohmann/json.hpp>
#include <words.hpp>

#include <algorithm>

namespace ptp::support {

namespace {

using Json = nlohmann::ordered_json;

// Returns a value as the text of a cell; nullopt if a cell cannot have it.
std::optional<std::string> cell_of(const Json& value) {
    if (value.is_null()) {
        return "";
    }
    if (value.is_string()) {
        return value.get<std::string>();
    }
    if (value.is_array()) {
        std::string cell;
        for (const Json& item : value) {
            if (!item.is_number()) {
                return std::nullopt;
            }
            cell += (cell.empty() ? "" : " ") + item.dump();
        }
        return cell;
    }
    return value.is_object() ? std::nullopt : std::optional(value.dump());
}

// Sets the cells of the row, or its problem.
void read_object(const Json& record, const std::vector<std::string>& columns, CsvRow& row) {
    std::vector<std::string> others;
    for (const auto& member : record.items()) {
        if (std::ranges::find(columns, member.key()) == columns.end()) {
            others.push_back(member.key());
        }
    }
    if (!others.empty()) {
        row.problem = "has " + quoted_names(others) + ", which the first object lacks";
    }
    for (const std::string& column : columns) {
        const auto member = record.find(column);
        const auto cell =
            member == record.end() ? std::optional<std::string>("") : cell_of(*member);
        if (!cell) {
            row.problem = "has in '" + column + "' " + member->dump() +
                          ", which is not text, a number, true, false, null or a list of numbers";
        }
        row.cells.push_back(cell.value_or(""));
    }
}

}  // namespace

bool is_json_lines(const std::filesystem::path& file) {
    const std::string ending = folded(file.extension().string());
    return ending == ".jsonl" || ending == ".ndjson";
}

std::optional<CsvRow> JsonText::next() {
    while (at_ < text_.size()) {
        const std::size_t begin = at_;
        const std::size_t end = std::min(text_.find('\n', begin), text_.size());
        const std::string_view line = text_.substr(begin, end - begin);
        CsvRow row;
        row.line = line_ + 1;
        if (line.find_first_not_of(" \t\r\v\f") != std::string_view::npos) {
            const Json record = Json::parse(line, nullptr, false);
            if (!record.is_object()) {
                row.problem = record.is_discarded() ? "is not JSON" : "is not a JSON object";
            } else if (columns_.empty() && record.empty()) {
                row.problem = "is an object without members";
            } else if (columns_.empty()) {
                for (const auto& member : record.items()) {
                    columns_.push_back(member.key());
                }
                row.cells = columns_;
                return row;  // and then this object
            } else {
                read_object(record, columns_, row);
            }
        } else {
            row.is_blank = true;
        }
        at_ = std::min(end + 1, text_.size());
        ++line_;
        if (!row.is_blank) {
            return row;
        }
    }
    return std::nullopt;
}

}  // namespace ptp::support
