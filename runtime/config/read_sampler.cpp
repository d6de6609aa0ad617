#include "config/experiment_fields.hpp"
#include "config/paths.hpp"
#include "config/read_section.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::config {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t kMostBytes = 64u << 20;

using Numbers = std::optional<std::vector<std::int64_t>>;

class IndicesReader {
public:
    IndicesReader(const Scope& scope, const Value& value) : scope_(scope), value_(value) {}

    std::optional<Indices> read() {
        const Numbers numbers = value_.is_list()     ? from_list()
                                : value_.is_string() ? from_string()
                                                     : Numbers();
        if (!value_.is_list() && !value_.is_string()) {
            error("must be a list of integers, a string of them, or the name of a file");
        }
        if (!numbers)
            return std::nullopt;
        if (numbers->empty())
            return refuse("must not be empty");
        const bool is_range = numbers->size() == 2;
        if (is_range && numbers->front() >= numbers->back()) {
            return refuse("two numbers are the range [begin, end), so begin must be below end");
        }
        return Indices{.place = value_.place(), .is_range = is_range, .values = *numbers};
    }

private:
    std::string key() const { return scope_.key("indices"); }
    void error(std::string message) { scope_.problems.error(value_, key(), std::move(message)); }
    std::nullopt_t refuse(std::string message) {
        error(std::move(message));
        return std::nullopt;
    }

    Numbers from_list() {
        std::vector<std::int64_t> numbers(value_.items().size());
        const std::size_t errors_before = scope_.problems.error_count();
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const Value& item = value_.items()[i];
            const std::string name = fmt::format("{}[{}]", key(), i);
            if (!item.is_integer()) {
                scope_.problems.error(
                    item, name, fmt::format("must be an integer, not {}", type_name(item.type())));
            } else if (item.as_integer() < 0) {
                scope_.problems.error(item, name, "must be in [0, inf)");
            } else {
                numbers[i] = item.as_integer();
            }
        }
        return scope_.problems.error_count() == errors_before ? Numbers(numbers) : std::nullopt;
    }

    // "1,2,3", or the name of a file whose first line is that.
    Numbers from_string() {
        const std::string& text = value_.as_string();
        if (text.find_first_not_of("0123456789,- ") == std::string::npos)
            return split(text, "");
        const auto file = path_from(text, value_.place(), scope_.options.home);
        if (!file)
            return refuse("the home folder '~' is not known");
        std::error_code ignored;
        if (!fs::exists(*file, ignored))
            return refuse(shown_path(*file) + ": no such file");
        if (!fs::is_regular_file(*file, ignored) || fs::file_size(*file, ignored) > kMostBytes) {
            return refuse(shown_path(*file) + ": is not a regular file of at most 64 MiB");
        }
        std::ifstream stream(*file);
        std::string line;
        std::getline(stream, line);
        if (stream.bad() || !stream.is_open())
            return refuse(shown_path(*file) + ": cannot be read");
        if (line.ends_with('\r'))
            line.pop_back();
        return split(line, shown_path(*file) + ": ");
    }

    Numbers split(std::string_view rest, const std::string& where) {
        std::vector<std::int64_t> numbers;
        const auto trim = [](std::string_view item) {
            while (item.starts_with(' '))
                item.remove_prefix(1);
            while (item.ends_with(' '))
                item.remove_suffix(1);
            return item;
        };
        if (trim(rest).empty())
            return numbers;
        while (true) {
            const std::size_t comma = std::min(rest.find(','), rest.size());
            const std::string_view item = trim(rest.substr(0, comma));
            std::int64_t number = -1;
            const auto [end, failure] =
                std::from_chars(item.data(), item.data() + item.size(), number);
            if (failure != std::errc() || end != item.data() + item.size() || number < 0) {
                return refuse(fmt::format("{}item {} is '{}', not an integer in [0, inf)", where,
                                          numbers.size() + 1, item.substr(0, 40)));
            }
            numbers.push_back(number);
            if (comma == rest.size())
                return numbers;
            rest.remove_prefix(comma + 1);
        }
    }

    const Scope& scope_;
    const Value& value_;
};

}  // namespace

Sampler read_sampler(const Scope& scope) {
    Sampler sampler{.type = read_type(scope, sampler_types()), .indices = {}};
    Raw indices = nullptr;
    read_all_fields(scope,
                    {{.name = "type", .into = &sampler.type, .choices = sampler_types()},
                     {.name = "indices",
                      .into = &indices,
                      .only_for = subset_sampler_types(),
                      .is_required = true}},
                    sampler.type);
    if (indices != nullptr)
        sampler.indices = IndicesReader(scope, *indices).read();
    return sampler;
}

}  // namespace ptp::config
