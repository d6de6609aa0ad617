// Reads many numbers from a list, a text, or a file.

#include "base/characters.hpp"
#include "base/paths.hpp"
#include "base/text.hpp"
#include "schema/check_value.hpp"
#include "schema/target.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <type_traits>
#include <utility>

namespace ptp::schema {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t kMaxBytes = 64u << 20;
constexpr const char* kRange = "[0, inf)";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // some editors put it at the beginning

template <class Number>
class NumbersReader {
public:
    NumbersReader(const Scope& scope, std::string_view name, const Value& value)
        : scope_(scope), key_(scope.key(name)), value_(value) {}

    std::optional<std::vector<Number>> read() {
        const std::size_t errors_before = scope_.problems.error_count();
        if (value_.is_string()) {
            add_string(value_.as_string());
        } else {
            add_list();
        }
        if (wrong_items_ > 0) {
            error(first_wrong_ + (wrong_items_ > 1 ? fmt::format(" (and {} more)", wrong_items_ - 1)
                                                   : std::string()));
        }
        if (scope_.problems.error_count() != errors_before) {
            return std::nullopt;
        }
        if (numbers_.empty()) {
            error("must not be empty");
            return std::nullopt;
        }
        return std::move(numbers_);
    }

private:
    static constexpr bool kIsInteger = std::is_integral_v<Number>;

    void error(std::string message) { scope_.problems.error(value_, key_, std::move(message)); }

    void add_list() {
        const Key list{.name = key_,
                       .form = kIsInteger ? Form::kInteger : Form::kReal,
                       .list_depth = 1,
                       .range = kRange};
        const auto checked =
            check_value(list, value_, key_, {scope_.options.home, scope_.problems});
        for (std::size_t i = 0; checked && i < checked->items().size(); ++i) {
            if constexpr (kIsInteger) {
                numbers_.push_back(checked->items()[i].as_integer());
            } else {
                numbers_.push_back(checked->items()[i].as_real());
            }
        }
    }

    void add_string(const std::string& text) {
        const char* const letters = kIsInteger ? "0123456789,- " : "0123456789,-+.eE ";
        if (text.find_first_not_of(letters) == std::string::npos) {
            if (!trimmed(text).empty()) {
                add_items(text, "");
            }
            return;
        }
        const auto file = path_from(text, value_.place(), scope_.options.home);
        if (file) {
            add_file(*file);
        } else {
            error("'~' is not known here: use an absolute path");
        }
    }

    void add_file(const fs::path& file) {
        std::error_code ignored;
        const std::string shown = shown_path(file);
        if (!fs::exists(file, ignored)) {
            return scope_.problems.error(value_, key_,
                                         Explanation{shown + ": no such file", fix_of_slice()});
        }
        if (!fs::is_regular_file(file, ignored) || fs::file_size(file, ignored) > kMaxBytes) {
            return error(shown + ": is not a regular file of at most 64 MiB");
        }
        std::ifstream stream(file);
        std::size_t number = 1;
        for (std::string line; std::getline(stream, line); ++number) {
            std::string_view items = line;
            if (number == 1 && items.starts_with(kByteOrderMark)) {
                items.remove_prefix(kByteOrderMark.size());
            }
            items = trimmed(items);
            if (items.ends_with(',')) {
                items.remove_suffix(1);  // the list continues on the next line
            }
            if (!items.empty()) {
                add_items(items, fmt::format("{}:{}: ", shown, number));
            }
        }
        if (stream.bad() || !stream.eof()) {
            error(shown + ": cannot be read");
        }
    }

    // Returns the range that a slice of Python means; "" if the text is none, or no range fits
    // here.
    [[nodiscard]] std::string fix_of_slice() const {
        const std::string& text = value_.as_string();
        const std::size_t colon = text.find(':');
        const auto is_number = [](std::string_view part) {
            return !part.empty() && part.find_first_not_of("0123456789") == part.npos;
        };
        return colon != text.npos && key_.ends_with(".indices") &&
                       is_number(std::string_view(text).substr(0, colon)) &&
                       is_number(std::string_view(text).substr(colon + 1))
                   ? typed_value(
                         value_.place(), key_,
                         fmt::format("[{}, {}]", text.substr(0, colon), text.substr(colon + 1)))
                   : "";
    }

    // Adds numbers that are separated by commas.
    void add_items(std::string_view rest, const std::string& where) {
        for (std::size_t count = 1;; ++count) {
            const std::size_t comma = std::min(rest.find(','), rest.size());
            add_item(trimmed(rest.substr(0, comma)), where, count);
            if (comma == rest.size()) {
                return;
            }
            rest.remove_prefix(comma + 1);
        }
    }

    // Returns the beginning of an item, which may be arbitrary text, for a message.
    static std::string shown_item(std::string_view item) {
        std::string shown;
        for (const Character& character : characters_of(item.substr(0, 40))) {
            shown += character.shown;
        }
        return shown;
    }

    void add_item(std::string_view item, const std::string& where, std::size_t count) {
        Number number = -1;
        const auto [end, failure] = std::from_chars(item.data(), item.data() + item.size(), number);
        const bool is_read = failure == std::errc() && end == item.data() + item.size();
        if (is_read && number >= 0 && std::isfinite(static_cast<double>(number))) {
            numbers_.push_back(number);
        } else if (wrong_items_++ == 0) {
            first_wrong_ =
                fmt::format("{}item {} is '{}', not {} in {}", where, count, shown_item(item),
                            kIsInteger ? "an integer" : "a number", kRange);
        }
    }

    const Scope& scope_;
    const std::string key_;
    const Value& value_;
    std::vector<Number> numbers_;
    std::size_t wrong_items_ = 0;  // in a text or a file
    std::string first_wrong_;
};

}  // namespace

template <class Number>
std::optional<std::vector<Number>> read_numbers(const Scope& scope, std::string_view name,
                                                const Value& value) {
    return NumbersReader<Number>(scope, name, value).read();
}

template std::optional<std::vector<std::int64_t>> read_numbers(const Scope&, std::string_view,
                                                               const Value&);
template std::optional<std::vector<double>> read_numbers(const Scope&, std::string_view,
                                                         const Value&);

}  // namespace ptp::schema
