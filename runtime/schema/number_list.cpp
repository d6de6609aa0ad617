#include "schema/number_list.hpp"

#include "base/paths.hpp"
#include "base/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

namespace ptp::schema {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t kMaxBytes = 64u << 20;

template <class Number>
struct Words;
template <>
struct Words<std::int64_t> {
    static constexpr const char* one = "an integer";
    static constexpr const char* many = "integers";
    static constexpr const char* letters = "0123456789,- ";
    static bool fits(const Value& value) { return value.is_integer(); }
    static std::int64_t of(const Value& value) { return value.as_integer(); }
};
template <>
struct Words<double> {
    static constexpr const char* one = "a number";
    static constexpr const char* many = "numbers";
    static constexpr const char* letters = "0123456789,-+.eE ";
    static bool fits(const Value& value) { return value.is_number(); }
    static double of(const Value& value) { return value.as_real(); }
};

bool is_in_range(std::int64_t number) {
    return number >= 0;
}
bool is_in_range(double number) {
    return number >= 0 && std::isfinite(number);
}

template <class Number>
class NumbersReader {
public:
    NumbersReader(const Scope& scope, std::string_view name, const Value& value)
        : scope_(scope), key_(scope.key(name)), value_(value) {}

    std::optional<std::vector<Number>> read() {
        const std::size_t errors_before = scope_.problems.error_count();
        if (value_.is_list()) {
            add_list();
        } else if (value_.is_string()) {
            add_string(value_.as_string());
        } else {
            error(fmt::format("must be a list of {}, a string of them, or the name of a file",
                              Words<Number>::many));
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
    void error(std::string message) { scope_.problems.error(value_, key_, std::move(message)); }

    void add_list() {
        for (std::size_t i = 0; i < value_.items().size(); ++i) {
            const Value& item = value_.items()[i];
            const std::string name = fmt::format("{}[{}]", key_, i);
            if (!Words<Number>::fits(item)) {
                scope_.problems.error(
                    item, name,
                    fmt::format("must be {}, not {}", Words<Number>::one, type_name(item.type())));
            } else if (!is_in_range(Words<Number>::of(item))) {
                scope_.problems.error(item, name, "must be in [0, inf)");
            } else {
                numbers_.push_back(Words<Number>::of(item));
            }
        }
    }

    void add_string(const std::string& text) {
        if (text.find_first_not_of(Words<Number>::letters) == std::string::npos) {
            if (!trimmed(text).empty()) {
                add_items(text, "");
            }
            return;
        }
        const auto file = path_from(text, value_.place(), scope_.options.home);
        if (file) {
            add_file(*file);
        } else {
            error("the home folder '~' is not known");
        }
    }

    void add_file(const fs::path& file) {
        std::error_code ignored;
        const std::string shown = shown_path(file);
        if (!fs::exists(file, ignored)) {
            return error(shown + ": no such file");
        }
        if (!fs::is_regular_file(file, ignored) || fs::file_size(file, ignored) > kMaxBytes) {
            return error(shown + ": is not a regular file of at most 64 MiB");
        }
        std::ifstream stream(file);
        std::size_t number = 1;
        for (std::string line; std::getline(stream, line); ++number) {
            std::string_view items = trimmed(line);
            if (items.ends_with(',')) {
                items.remove_suffix(1);  // the list continues in the next line
            }
            if (!items.empty()) {
                add_items(items, fmt::format("{}:{}: ", shown, number));
            }
        }
        if (stream.bad() || !stream.eof()) {
            error(shown + ": cannot be read");
        }
    }

    // Numbers with commas between them.
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

    void add_item(std::string_view item, const std::string& where, std::size_t count) {
        Number number = -1;
        const auto [end, failure] = std::from_chars(item.data(), item.data() + item.size(), number);
        const bool is_read = failure == std::errc() && end == item.data() + item.size();
        if (is_read && is_in_range(number)) {
            numbers_.push_back(number);
        } else if (wrong_items_++ == 0) {
            first_wrong_ = fmt::format("{}item {} is '{}', not {} in [0, inf)", where, count,
                                       item.substr(0, 40), Words<Number>::one);
        }
    }

    const Scope& scope_;
    const std::string key_;
    const Value& value_;
    std::vector<Number> numbers_;
    std::size_t wrong_items_ = 0;  // of a text or a file
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
