// Reads ranges of --space, and finds what was meant by those of other programs.

#include "ptp-search/typed_range.hpp"

#include "base/diagnostics.hpp"
#include "base/explanation.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "experiment/load/override.hpp"
#include "experiment/readers.hpp"
#include "experiment/searching.hpp"
#include "ptprun/commands.hpp"
#include "ptprun/sweep_points.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::search {

namespace {

using namespace ptprun;

// Returns the kind that a word of another program means; "" if none is known.
std::string meant_kind(const std::string& word) {
    constexpr std::array<std::array<std::string_view, 2>, 5> kMeanings = {{
        {"log loguniform log10", "log_uniform"},
        {"float linear quniform real", "uniform"},
        {"int randint quniform_int", "integer"},
        {"logint lograndint", "log_integer"},
        {"categorical choices grid list values", "choice"},
    }};
    if (std::ranges::find(experiment::kDistributions, word) != experiment::kDistributions.end()) {
        return word;
    }
    for (const auto& [words, kind] : kMeanings) {
        if (has_word(words, folded(word))) {
            return std::string(kind);
        }
    }
    return "";
}

}  // namespace

std::optional<TypedRange> range_in(const std::string& text) {
    const std::size_t equals = text.find('=');
    const std::size_t colon = text.find(':', equals);
    if (equals == std::string::npos || colon == std::string::npos) {
        return std::nullopt;
    }
    const std::string kind = text.substr(equals + 1, colon - equals - 1);
    if (std::ranges::find(experiment::kDistributions, kind) == experiment::kDistributions.end()) {
        return std::nullopt;
    }
    Diagnostics problems;
    std::vector<Value> values;
    for (const std::string& one : alternatives("value=" + text.substr(colon + 1), 0, problems)) {
        if (auto read = experiment::read_override(one, 1, problems)) {
            values.push_back(std::move(read->value));
        }
    }
    if (!problems.ok()) {
        return std::nullopt;
    }
    return TypedRange{
        text.substr(0, equals),
        fmt::format("{{ {} = {} }}", kind, inline_toml(Value::list(std::move(values))))};
}

namespace {

// Returns whether the text is one list, and not several.
bool is_list(const std::string& text) {
    int depth = 0;
    std::size_t end = 0;
    do {
        depth += text[end] == '[' ? 1 : text[end] == ']' ? -1 : 0;
    } while (depth > 0 && ++end < text.size());
    return text.starts_with('[') && end + 1 == text.size();
}

// Returns "KEY=KIND:VALUES" for the calls of other programs, "KEY=tune.KIND(VALUES)" or
// "KEY=KIND([VALUES])", and "KEY=choice:VALUES" for "KEY=[VALUES]"; any other text as it is.
std::string without_call(const std::string& text) {
    const std::size_t equals = text.find('=');
    const std::size_t open = text.find_first_of("([", equals);
    if (equals == std::string::npos || open == std::string::npos || text.find(':', equals) < open ||
        text.back() != (text[open] == '(' ? ')' : ']')) {
        return text;
    }
    std::string word = text.substr(equals + 1, open - equals - 1);
    std::string values = text.substr(open + 1, text.size() - open - 2);
    if (is_list(values)) {
        values = values.substr(1, values.size() - 2);
    }
    if (word.empty() && text[open] == '[') {
        if (!is_list(text.substr(open))) {
            return text;
        }
        word = "choice";
    }
    return text.substr(0, equals + 1) + word.substr(word.rfind('.') + 1) + ":" + values;
}

// Returns the range with the kind that is meant by another word, a choice where values alone are
// written, if [search] takes it with these values; otherwise "".
std::string meant_range(const std::string& typed) {
    const std::string text = without_call(typed);
    const std::size_t equals = std::min(text.find('='), text.size() - 1);
    const std::size_t colon = std::min(text.find(':', equals), text.size());
    const bool has_values_alone = colon == text.size() && text.find(',', equals) != text.npos &&
                                  text.find('(', equals) == text.npos;
    const std::string kind = meant_kind(text.substr(equals + 1, colon - equals - 1));
    std::string meant =
        text.substr(0, equals + 1) +
        (has_values_alone ? "choice:" + text.substr(equals + 1) : kind + text.substr(colon));
    const auto range = range_in(meant);
    Diagnostics problems;
    const auto value = range ? read_toml_value(range->value) : std::nullopt;
    if (!value) {
        return "";
    }
    const Value search = Value::table({{"space", Value::table({{range->key, *value}})}});
    experiment::Searching searching;
    experiment::read_searching({search, "search", {}, problems}, searching);
    return problems.ok() ? meant : "";
}

}  // namespace

void refuse_range(const std::string& text) {
    const std::string meant = meant_range(text);
    throw UsageError(
        Explanation{fmt::format("--space {}: must be KEY=KIND:VALUES, such as "
                                "training.optimizer.lr=log_uniform:0.0001,0.1; KIND is uniform, "
                                "log_uniform, integer, log_integer or choice",
                                text),
                    meant.empty() ? "" : "--space " + shell_word(meant)}
            .text());
}

}  // namespace ptp::search
