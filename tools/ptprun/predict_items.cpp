// Reads lines of JSON as samples: texts, rows of a table, or images as files or base64.

#include "predict_items.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/output_file.hpp"
#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "common/program.hpp"
#include "plugin/purpose.hpp"
#include "predict_data.hpp"
#include "report.hpp"
#include "table_copy.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>

namespace ptp::ptprun {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxLevels = 16;
constexpr const char* kTable = "items.csv";

// Why a line is no sample; what() is a sentence without the line.
struct BadItem : std::runtime_error {
    using std::runtime_error::runtime_error;
};

Json parsed(const std::string& line) {
    std::optional<Json> item = parsed_json(line, kMaxLevels);
    if (!item) {
        throw BadItem(kNoJson);
    }
    return *std::move(item);
}

// Returns the text of an item that is one, or an object with nothing but it.
std::string text_in(const Json& item, const char* key) {
    if (item.is_string()) {
        return item.get<std::string>();
    }
    if (item.is_object() && item.size() == 1 && item.contains(key) && item[key].is_string()) {
        return item[key].get<std::string>();
    }
    throw BadItem(fmt::format("must be a text, or an object with \"{}\" alone: {{\"{}\": \"...\"}}",
                              key, key));
}

// Returns the text of a cell; numbers of a list have blanks between them, as tables have them.
std::string cell_of(const Json& value, const std::string& column) {
    const auto is_number = [](const Json& item) { return item.is_number(); };
    if (value.is_object() || (value.is_array() && !std::ranges::all_of(value, is_number))) {
        throw BadItem(fmt::format("'{}' must be a number, a text, a list of numbers or null",
                                  harmless(column)));
    }
    if (!value.is_array()) {
        return value.is_null() ? "" : value.is_string() ? value.get<std::string>() : text_of(value);
    }
    Strings numbers;
    for (const Json& item : value) {
        numbers.push_back(text_of(item));
    }
    return join(numbers, " ");
}

// Returns why an object lacks a column: one of its members may be meant by it.
std::string why_absent(const std::string& column, const Json& item, const Strings& columns) {
    for (const auto& [name, value] : item.items()) {
        if (!contains(columns, name) && nearest(name, columns) == column) {
            return fmt::format("'{}' is not a column that the model reads; did you mean '{}'?",
                               harmless(name), column);
        }
    }
    return fmt::format("has no '{}'", column);
}

// Returns the cells of the columns, in their order. Other members of an object are of no account,
// as other columns of a table.
Strings row_of(const Json& item, const Strings& columns) {
    if (item.is_array() && item.size() != columns.size()) {
        throw BadItem(fmt::format("has {} values, and the columns are {}: {}", item.size(),
                                  columns.size(), join(columns, ", ")));
    }
    if (!item.is_array() && !item.is_object()) {
        throw BadItem(
            fmt::format("must be an object with the columns {}, or a list of their values",
                        join(columns, ", ")));
    }
    Strings row;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (item.is_object() && !item.contains(columns[i])) {
            throw BadItem(why_absent(columns[i], item, columns));
        }
        row.push_back(cell_of(item.is_object() ? item[columns[i]] : item[i], columns[i]));
    }
    return row;
}

// A table in text, which each task of tables reads.
class TableFile {
public:
    TableFile(const experiment::Section& section, const Value& recorded,
              const plugin::Catalog& catalog, TableCopy copy)
        : copy_(std::move(copy)) {
        for (std::string& column : pipeline::input_columns(section, recorded, catalog)) {
            if (!contains(columns_, column)) {  // several settings may read it
                columns_.push_back(std::move(column));
            }
        }
        if (contains(columns_, pipeline::kAllColumns)) {
            throw UsageError(
                "--jsonl: the experiment reads all columns, and which those are, a run has "
                "recorded\n    fix: give the folder of a run in place of the experiment; ptprun "
                "runs lists them");
        }
        const plugin::Component* const task = pipeline::component_of(section.task, catalog);
        separator_ = pipeline::separator_of(section.task, *task, kTable).value_or(',');
        add_line(columns_);
    }

    // Returns the line of the file at which the row begins, from 1.
    std::size_t add(const Json& item) {
        const Strings row = row_of(item, columns_);
        lines_ += static_cast<std::size_t>(
            std::ranges::count(std::string_view(text_).substr(counted_), '\n'));
        counted_ = text_.size();
        for (const std::string& cell : row) {
            copy_.add(cell);
        }
        add_line(row);
        return 1 + lines_;
    }

    [[nodiscard]] fs::path write() const {
        const fs::path file = copy_.path() / kTable;
        replace_file(file, text_);
        return file;
    }

private:
    void add_line(const Strings& cells) {
        Strings quoted;
        for (const std::string& cell : cells) {  // each in quotes, whatever the separator is
            const std::string text = csv_cell(cell);
            quoted.push_back(text.starts_with('"') ? text : fmt::format("\"{}\"", text));
        }
        text_ += join(quoted, std::string_view(&separator_, 1)) + "\n";
    }

    Strings columns_;
    TableCopy copy_;
    char separator_ = ',';
    std::string text_;
    std::size_t lines_ = 0;  // in the first `counted_` bytes of it
    std::size_t counted_ = 0;
};

std::string decoded(const std::string& text) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::string_view digits =
        std::string_view(text).substr(0, text.find_last_not_of('=') + 1);
    const std::size_t padding = text.size() - digits.size();
    std::string bytes;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char digit : digits) {
        const std::size_t value = kDigits.find(digit);
        if (value == std::string_view::npos) {
            throw BadItem("its base64 has a character that base64 does not have");
        }
        bits = (bits << 6U) | static_cast<std::uint32_t>(value);
        count += 6;
        if (count >= 8) {
            count -= 8;
            bytes += static_cast<char>((bits >> static_cast<unsigned>(count)) & 0xffU);
        }
    }
    if (text.size() % 4 != 0 || padding > 2 || digits.empty()) {
        throw BadItem("its base64 is cut off");
    }
    return bytes;
}

// Returns the ending of an image's name, by its first bytes.
std::string ending_of(std::string_view bytes) {
    using namespace std::string_view_literals;
    constexpr std::array<std::pair<std::string_view, const char*>, 4> kBegins = {{
        {"\x89PNG\r\n\x1a\n"sv, ".png"},
        {"\xff\xd8\xff"sv, ".jpg"},
        {"II*\0"sv, ".tif"},
        {"MM\0*"sv, ".tif"},
    }};
    for (const auto& [begin, ending] : kBegins) {
        if (bytes.starts_with(begin)) {
            return ending;
        }
    }
    if (bytes.starts_with("RIFF") &&
        bytes.substr(std::min<std::size_t>(8, bytes.size())).starts_with("WEBP")) {
        return ".webp";
    }
    throw BadItem("is not an image: PNG, JPEG, TIFF and WebP are read");
}

std::string first_bytes(const std::string& file) {
    constexpr std::size_t kCount = 16;
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) {
        throw BadItem(fmt::format("no such file: {}", harmless(file)));
    }
    std::string bytes(kCount, '\0');
    std::ifstream in(file, std::ios::binary);
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
    return bytes;
}

// Makes a file of the image of a line: `made`, and the ending of its kind. Names of images are
// relative to `folder`.
fs::path image_of(const Json& item, const fs::path& folder, const fs::path& made) {
    const auto place = [&](std::string_view bytes) { return made.string() + ending_of(bytes); };
    if (item.is_object() && item.size() == 1 && item.contains("base64")) {
        if (!item["base64"].is_string()) {
            throw BadItem("its \"base64\" must be a text");
        }
        const std::string bytes = decoded(item["base64"].get<std::string>());
        const fs::path file = place(bytes);
        replace_file(file, bytes);
        return file;
    }
    if (item.is_object() && !item.contains("image")) {
        throw BadItem("must be a file name, {\"image\": \"a.png\"} or {\"base64\": \"...\"}");
    }
    const std::string named = (folder / text_in(item, "image")).string();
    const fs::path link = place(first_bytes(named));
    fs::create_symlink(named, link);
    return link;
}

}  // namespace

ItemKind item_kind(const experiment::Section& section, const plugin::Catalog& catalog) {
    const plugin::Component* const component = pipeline::component_of(section.task, catalog);
    if (component == nullptr) {
        return ItemKind::kNone;
    }
    if (pipeline::reads_table(section, catalog)) {
        return ItemKind::kRow;
    }
    if (pipeline::texts_setting(*component) != nullptr) {
        return ItemKind::kText;
    }
    const plugin::Setting* const files = pipeline::unlabeled_setting(*component);
    return files != nullptr && files->list_depth > 0 ? ItemKind::kImage : ItemKind::kNone;
}

Items read_items(const JsonLines& lines, const experiment::Section& section, const Value& recorded,
                 const plugin::Catalog& catalog, const fs::path& folder) {
    const ItemKind kind = item_kind(section, catalog);
    assert(kind != ItemKind::kNone);
    std::optional<TableFile> table;
    if (kind == ItemKind::kRow) {
        table.emplace(section, recorded, catalog, TableCopy(folder, lines.folder));
    }
    Items made;
    made.data.option = "--jsonl";
    std::int64_t sample = 0;
    for (std::size_t i = 0; i < lines.lines.size(); ++i) {
        engine::PredictItem& item = made.items.emplace_back();
        try {
            if (const auto known = lines.refused.find(i + 1); known != lines.refused.end()) {
                throw BadItem(known->second);
            }
            const Json json = parsed(lines.lines[i]);
            if (kind == ItemKind::kText) {
                std::string text = text_in(json, "text");
                if (trimmed(text).empty()) {
                    throw BadItem("is blank");
                }
                made.data.texts.push_back(std::move(text));
            } else if (kind == ItemKind::kRow) {
                made.table_lines.push_back(table->add(json));
            } else {
                made.data.files.push_back(
                    image_of(json, lines.folder,
                             folder / fmt::format("{}{}", kFileOfLine, lines.first + i + 1)));
            }
            item.sample = sample++;
        } catch (const BadItem& error) {
            item.error = error.what();
        }
    }
    if (sample == 0) {
        throw NoGoodItem(std::move(made.items));
    }
    if (table) {
        made.data.files = {table->write()};
    }
    return made;
}

namespace {

std::size_t number_in(std::string_view text) {
    std::size_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

}  // namespace

std::size_t item_at(std::size_t table_line, const Items& items) {
    const auto after = std::ranges::upper_bound(items.table_lines, table_line);
    const std::int64_t sample = after - items.table_lines.begin() - 1;
    for (std::size_t i = 0; sample >= 0 && i < items.items.size(); ++i) {
        if (items.items[i].error.empty() && items.items[i].sample == sample) {
            return i + 1;
        }
    }
    return 0;
}

bool JsonLines::read_next(bool may_return) {
    first += lines.size();
    refused.clear();
    lines = input.next(may_return);
    return !lines.empty() || !input.is_at_end();
}

bool JsonLines::refuse(const std::string& error, const Items& items, const fs::path& folder) {
    const std::string own =
        (items.table_lines.empty() ? folder : items.data.files.front().parent_path()).string() +
        "/";
    bool is_any = false;
    for (std::size_t at = error.find(own); at != std::string::npos; at = error.find(own, at + 1)) {
        const std::size_t begin = at + own.size();
        const std::size_t end = std::min(
            {error.find("\n" + own, begin), error.find("\nfix:", begin), error.find("\n ", begin)});
        std::string text = with_own_paths(harmless(error.substr(begin, end - begin)), folder);
        std::size_t line = 0;
        if (text.starts_with(kFileOfLine)) {
            line = number_in(std::string_view(text).substr(kFileOfLine.size())) - first;
        } else if (const auto colon = text.find(':');
                   text.starts_with(kTable) && colon != std::string::npos) {
            line = item_at(number_in(std::string_view(text).substr(colon + 1)), items);
        }
        if (line > 0 && line <= lines.size()) {
            const std::size_t reason = text.find(": ");
            text.erase(0, reason == std::string::npos ? 0 : reason + 2);
            is_any = refused.emplace(line, text).second || is_any;
        }
    }
    return is_any;
}

}  // namespace ptp::ptprun
