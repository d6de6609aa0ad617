// Expands `--set` with several values into the points of a sweep, one experiment each, and checks
// these. The program ptp-search trains them.

#include "sweep_points.hpp"

#include "base/exit_code.hpp"
#include "base/sha256.hpp"
#include "base/shell_words.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "commands.hpp"
#include "common/render.hpp"
#include "experiment/load/override.hpp"
#include "experiment/possible_keys.hpp"
#include "reference/declared.hpp"
#include "report.hpp"
#include "schema/check_value.hpp"
#include "table_fixes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <map>
#include <set>
#include <string_view>

namespace ptp::ptprun {

namespace {

constexpr std::size_t kMaxPoints = 10000;
constexpr std::size_t kMaxNameLength = 100;

// Returns the place of an override, for messages; `index` counts from 0.
SourceLocation place_of(std::size_t index) {
    return {std::string(kCommandLine), static_cast<int>(index) + 1, 1};
}

// Returns the position of the "=" after the key, which may be quoted and contain one; npos if there
// is none.
std::size_t end_of_key(std::string_view text) {
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (quote != 0) {
            quote = text[i] == quote ? '\0' : quote;
        } else if (text[i] == '"' || text[i] == '\'') {
            quote = text[i];
        } else if (text[i] == '=') {
            return i;
        }
    }
    return std::string_view::npos;
}

// Returns the position of the closing quote of the string at `begin`; the end of the text if there
// is none.
std::size_t end_of_quoted(std::string_view text, std::size_t begin) {
    const char quote = text[begin];
    std::size_t end = begin + 1;
    while (end < text.size() && text[end] != quote) {
        end += quote == '"' && text[end] == '\\' ? 2 : 1;
    }
    return end;
}

// Splits the text at the commas that are neither in quotes nor in brackets or parentheses.
std::vector<std::string_view> divided(std::string_view text) {
    std::vector<std::string_view> pieces;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"' || c == '\'') {
            i = end_of_quoted(text, i);
        } else if (c == '[' || c == '{' || c == '(') {
            ++depth;
        } else if (c == ']' || c == '}' || c == ')') {
            --depth;
        } else if (c == ',' && depth == 0) {
            pieces.push_back(text.substr(begin, i - begin));
            begin = i + 1;
        }
    }
    pieces.push_back(text.substr(begin));
    return pieces;
}

std::string key_of(const std::string& text) {
    return std::string(trimmed(std::string_view(text).substr(0, end_of_key(text))));
}

void refuse_repeated(const std::vector<std::string>& keys, Diagnostics& problems) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto earlier = keys.begin() + static_cast<std::ptrdiff_t>(i);
        if (std::find(keys.begin(), earlier, keys[i]) != earlier) {
            problems.error(place_of(i), keys[i], "is set twice in one sweep");
        }
    }
}

// Returns the product of points and values. The label of a point has the value if there are
// several.
std::vector<SweepPoint> combined(const std::vector<SweepPoint>& points,
                                 const std::vector<std::string>& values,
                                 const std::vector<std::string>& swept) {
    std::vector<SweepPoint> result;
    for (const SweepPoint& point : points) {
        for (const std::string& value : values) {
            SweepPoint& added = result.emplace_back(point);
            added.overrides.push_back(value);
            if (values.size() > 1) {
                const std::string shown(trimmed(value.substr(end_of_key(value) + 1)));
                added.label += fmt::format("{}{}={}", point.label.empty() ? "" : " ",
                                           short_key(key_of(value), swept), shown);
            }
        }
    }
    return result;
}

// Returns the number that a key takes and a text with commas may mean: "0.1" for "0,1"; "" if none.
std::string number_for(const std::string& key, const std::string& text, const Value& tree,
                       const host::Prepared& prepared) {
    const auto path = experiment::read_key_path(key);
    const schema::KeyRecord keys = experiment::possible_keys(tree, prepared.experiment.name);
    const auto declared =
        path ? reference::find_declared(*path, {tree, keys, prepared.catalog}) : std::nullopt;
    const bool is_real = declared && declared->key.form == schema::Form::kReal;
    for (const std::string& meaning : meanings_of_commas(text)) {
        const auto value = read_toml_value(meaning);
        const bool fits = declared && value && value->is_number() && value->is_real() == is_real;
        if (fits && schema::accepts(declared->key, *value)) {
            return meaning;
        }
    }
    return "";
}

// Refuses whole numbers that a comma makes of a key which holds a real: "lr=0,1" was probably meant
// as 0.1, and a sweep can be written without doubt. Refuses thousands, "1,000", where "000" is no
// number.
void refuse_commas(const std::vector<std::string>& overrides, const host::Prepared& prepared,
                   Diagnostics& problems) {
    std::optional<Value> tree;
    for (std::size_t i = 0; i < overrides.size(); ++i) {
        const std::string key = key_of(overrides[i]);
        const std::string value(
            overrides[i].substr(std::min(end_of_key(overrides[i]), overrides[i].size() - 1) + 1));
        const std::size_t comma = value.find(',');
        if (value.find_first_not_of("0123456789,") != std::string::npos || comma == value.npos) {
            continue;
        }
        if (!tree) {
            tree = experiment::resolved_tree(prepared.experiment);
        }
        const std::string number = number_for(key, value, *tree, prepared);
        const std::string rest = value.substr(comma + 1);
        const bool are_numbers = number_meant(rest) == rest;
        const bool is_real = number.find('.') != std::string::npos;
        if (!number.empty() && (is_real || !are_numbers)) {
            const std::string two = are_numbers
                                        ? fmt::format("; or for the two values --set {}={}.0,{}.0",
                                                      key, value.substr(0, comma), rest)
                                        : "";
            problems.error(
                place_of(i), key,
                Explanation{are_numbers ? value + " may be one number or two values of a sweep"
                                        : value + " is not a number",
                            fmt::format("--set {}={}{}", key, number, two)});
        }
    }
}

// Returns what to type for the overrides with several values: their choices for a search, else the
// first value of each; "" if none has several. "lr=0,01" is 0.01 with a decimal comma.
std::string without_sweep(const std::vector<std::string>& overrides, bool is_search) {
    std::string options;
    for (const std::string& text : overrides) {
        Diagnostics unused;
        const std::vector<std::string> all = alternatives(text, 0, unused);
        if (all.size() > 1) {
            const std::string begin = text.substr(0, end_of_key(text) + 1);
            const std::string value = text.substr(begin.size());
            const std::string number = value.starts_with("0,") ? number_meant(value) : "";
            options += options.empty() ? "" : " ";
            options += !number.empty() ? "--set " + shell_word(begin + number)
                       : is_search && key_of(text) != "seed"  // trials are drawn from the seed
                           ? "--space " + shell_word(begin + "choice:" + value)
                           : "--set " + shell_word(all.front());
        }
    }
    return options;
}

}  // namespace

std::string short_key(const std::string& key, const std::vector<std::string>& all) {
    const auto end = [](const std::string& one) { return one.substr(one.rfind('.') + 1); };
    const auto count = std::ranges::count_if(
        all, [&](const std::string& other) { return end(other) == end(key); });
    return count == 1 ? end(key) : key;
}

std::vector<std::string> alternatives(const std::string& text, std::size_t index,
                                      Diagnostics& problems) {
    const std::size_t equals = end_of_key(text);
    if (equals == std::string::npos) {
        return {text};
    }
    const std::string_view value = std::string_view(text).substr(equals + 1);
    const auto pieces = divided(value);
    if (pieces.size() == 1 || read_toml_value(value)) {
        return {text};
    }
    std::vector<std::string> all;
    for (const std::string_view piece : pieces) {
        const std::string one(trimmed(piece));
        if (one.empty()) {
            problems.error(
                place_of(index), "",
                fmt::format("'{}': one of the values between the commas is empty", text));
        }
        all.push_back(text.substr(0, equals + 1) + one);
    }
    return all;
}

bool is_sweep(const host::Request& request) {
    return !without_sweep(request.overrides, false).empty();
}

void refuse_sweep(const host::Request& request, bool is_search) {
    const char* const reason =
        is_search ? "a search takes the values of a key by --space, and one by --set"
                  : "a --set with several values is for trainings and for check";
    if (is_sweep(request)) {
        throw UsageError(Explanation{reason, without_sweep(request.overrides, is_search)}.text());
    }
}

std::vector<SweepPoint> sweep_points(const std::vector<std::string>& overrides,
                                     Diagnostics& problems) {
    std::vector<std::vector<std::string>> choices;
    std::vector<std::string> swept;
    std::vector<std::string> keys;
    std::size_t count = 1;
    for (const std::string& text : overrides) {
        choices.push_back(alternatives(text, choices.size(), problems));
        keys.push_back(key_of(text));
        if (choices.back().size() > 1) {
            swept.push_back(keys.back());
        }
        count = std::min(count * choices.back().size(), kMaxPoints + 1);
    }
    if (!swept.empty()) {
        refuse_repeated(keys, problems);
    }
    if (count > kMaxPoints) {
        problems.error(SourceLocation(std::string(kCommandLine), 0, 0), "",
                       fmt::format("a sweep of more than {} runs", kMaxPoints));
    }
    if (!problems.ok()) {
        return {};
    }
    std::vector<SweepPoint> points(1);
    for (const std::vector<std::string>& values : choices) {
        points = combined(points, values, swept);
    }
    return points;
}

std::vector<SweepPoint> points_of(const host::Request& request) {
    Diagnostics problems;
    auto points = sweep_points(request.overrides, problems);
    if (!problems.ok()) {
        report(problems, plugin::Catalog{}, request.overrides);
    }
    return points;
}

namespace {

bool has_classes(const pipeline::Plan& plan) {
    return !plan.tasks.empty() &&
           !plan.tasks.front().global_for(plugin::Purpose::kClassCount).empty();
}

// Returns the problem of a key in one point as that of the sweep, with all values in its fix.
Problem of_sweep(Problem problem, const std::vector<std::string>& overrides,
                 const SweepPoint& point) {
    const std::size_t number = problem.place.file() == kCommandLine && problem.value.empty()
                                   ? static_cast<std::size_t>(problem.place.line())
                                   : 0;
    if (number < 1 || number > overrides.size()) {
        return problem;
    }
    const auto value_of = [](const std::string& text) {
        return text.substr(std::min(end_of_key(text), text.size() - 1) + 1);
    };
    const std::string one = value_of(point.overrides[number - 1]);
    const std::string all = value_of(overrides[number - 1]);
    std::vector<std::string> lines = fix_lines(problem.fix);
    for (std::string& line : lines) {
        const std::vector<std::string> proposed = set_options(line);
        if (one != all && proposed.size() == 1 && proposed.front().ends_with("=" + one)) {
            const std::string& text = proposed.front();
            const std::string old = shell_word(text);
            const std::size_t at = line.find(old);
            if (at != line.npos) {
                line.replace(at, old.size(),
                             shell_word(text.substr(0, text.size() - one.size()) + all));
            }
        }
    }
    problem.fix = join(lines, kNextFix);
    return problem;
}

}  // namespace

SweepCheck check_sweep(const host::Request& request, const std::vector<SweepPoint>& points) {
    SweepCheck check;
    std::set<std::string> said;
    std::map<std::string, std::size_t> known;  // by the hash of the experiment
    std::size_t errors = 0;
    for (const SweepPoint& point : points) {
        host::Request one = request;
        one.overrides = point.overrides;
        Diagnostics problems;
        const host::Prepared prepared = host::prepare(one, problems);
        Diagnostics commas;
        if (&point == &points.front()) {
            refuse_commas(request.overrides, prepared, commas);
        }
        if (!commas.ok()) {  // whose points have errors of their own
            check.code = report(commas, prepared.catalog, request.overrides);
            return check;
        }
        const std::size_t number = check.equal_to.size();
        check.equal_to.push_back(number);
        if (problems.ok()) {
            const std::string tree = inline_toml(experiment::resolved_tree(prepared.experiment));
            check.equal_to[number] = known.emplace(sha256(tree), number).first->second;
        }
        if (!check.first) {
            check.has_classes = prepared.plan && has_classes(*prepared.plan);
            check.first = prepared.experiment;
        }
        for (const Problem& found : with_whole_values(problems, point.overrides)) {
            const Problem problem = of_sweep(found, request.overrides, point);
            if (!said.insert(problem.text()).second) {
                continue;
            }
            show(problem, found.fix == problem.fix ? point.overrides : request.overrides);
            errors += problem.severity == Severity::kError ? 1 : 0;
        }
        if (check.code == kDone) {
            check.code = host::exit_code_for(problems, prepared.catalog);
        }
    }
    if (errors > 1) {
        fmt::print(stderr, "{}\n", tools::count_text(errors, said.size() - errors));
    }
    return check;
}

int refuse_equal(const std::vector<SweepPoint>& points, const SweepCheck& check) {
    if (check.code != kDone) {
        return check.code;
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (const std::size_t equal = check.equal_to[i]; equal != i) {
            show_error(fmt::format(
                "runs {} ({}) and {} ({}) of the sweep are one experiment, which "
                "would be trained twice\n    fix: leave out one of the values{}",
                equal + 1, points[equal].label, i + 1, points[i].label,
                points[equal].label == points[i].label ? "; a list stands in brackets: KEY=[A, B]"
                                                       : ""));
            return kConfigurationError;
        }
    }
    return kDone;
}

std::string file_name(const SweepPoint& point) {
    std::string name;
    for (const char c : point.label.substr(0, kMaxNameLength)) {
        const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                              std::string_view("._=+-").find(c) != std::string_view::npos;
        name += is_plain ? c : '_';
    }
    return name;
}

}  // namespace ptp::ptprun
