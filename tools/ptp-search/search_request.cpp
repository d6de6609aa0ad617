// The options of a search as values of its experiment, and problems at the options as typed.

#include "ptp-search/search_request.hpp"

#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "experiment/load/override.hpp"
#include "experiment/render.hpp"
#include "experiment/searching.hpp"
#include "ptprun/request_options.hpp"
#include "ptprun/show_error.hpp"
#include "ptprun/sweep_points.hpp"
#include "ptprun/training_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <set>
#include <utility>

namespace ptp::search {

using namespace ptprun;

namespace {

using KeyPath = std::vector<std::string>;

struct TypedRange {
    std::string key;
    std::string value;  // "{ uniform = [0, 1] }"
};

[[noreturn]] void refuse_range(const std::string& text) {
    throw UsageError(
        fmt::format("--space {}: must be KEY=KIND:VALUES, such as "
                    "training.optimizer.lr=log_uniform:0.0001,0.1; KIND is uniform, "
                    "log_uniform, integer, log_integer or choice",
                    text));
}

// "training.optimizer.lr=log_uniform:1e-4,0.1" as a value of the experiment.
TypedRange read_range(const std::string& text) {
    const std::size_t equals = text.find('=');
    const std::size_t colon = text.find(':', equals);
    if (equals == std::string::npos || colon == std::string::npos) {
        refuse_range(text);
    }
    const std::string kind = text.substr(equals + 1, colon - equals - 1);
    if (std::ranges::find(experiment::kDistributions, kind) == experiment::kDistributions.end()) {
        refuse_range(text);
    }
    Diagnostics problems;
    std::vector<Value> values;
    for (const std::string& one : alternatives("value=" + text.substr(colon + 1), 0, problems)) {
        if (auto read = experiment::read_override(one, 1, problems)) {
            values.push_back(std::move(read->value));
        }
    }
    if (!problems.ok()) {
        refuse_range(text);
    }
    return {text.substr(0, equals),
            fmt::format("{{ {} = {} }}", kind, inline_toml(Value::list(std::move(values))))};
}

// "none" first: a range of the file is replaced as a whole, and not laid over.
void add_range(const std::string& text, SearchRequest& search) {
    const TypedRange range = read_range(text);
    const char quote = range.key.find('"') == std::string::npos ? '"' : '\'';
    for (const std::string& value : {std::string("\"none\""), range.value}) {
        search.request.overrides.push_back(
            fmt::format("search.space.{0}{1}{0}={2}", quote, range.key, value));
        search.options.push_back("--space " + text);
    }
}

void add_ranges(const Given& given, SearchRequest& search) {
    std::set<KeyPath> keys;
    for (const std::string& typed : given.texts("space")) {
        const std::string text = with_whole_key(typed, given.operands().front());
        const auto path = experiment::read_key_path(text.substr(0, text.find('=')));
        if (path && !keys.insert(*path).second) {
            throw UsageError(fmt::format(
                "--space {}: is a second range for this key; leave out one of the two", text));
        }
        add_range(text, search);
    }
}

bool is_within(const KeyPath& path, const KeyPath& above) {
    return above.size() <= path.size() && std::equal(above.begin(), above.end(), path.begin());
}

// Returns the problem at the option as typed, if the option is a value of the search.
Problem as_typed(Problem problem, const SearchRequest& request) {
    const auto index = static_cast<std::size_t>(problem.place.line()) - 1;
    if (problem.place.file() != kCommandLine || problem.place.line() < 1 ||
        index >= request.options.size() || request.options[index].empty()) {
        return problem;
    }
    problem.place = SourceLocation(request.options[index], 0, 0);
    Diagnostics none;
    const auto set = experiment::read_override(request.request.overrides[index], 1, none);
    const std::string key = set && set->path.size() == 3 ? set->path[2] : "";
    const std::string range = experiment::range_path(key);
    if (problem.key == range) {
        problem.key = key;
    } else if (problem.key.starts_with(range + ".")) {
        problem.key.erase(0, range.size() + 1);
    }
    return problem;
}

}  // namespace

SearchRequest search_request(const Given& given) {
    SearchRequest search{.request = training_request(given)};
    refuse_sweep(search.request);
    search.options.resize(search.request.overrides.size());
    for (const char* option : {"trials", "halving"}) {
        if (const auto value = given.integer(option)) {
            search.request.overrides.push_back(fmt::format("search.{}={}", option, *value));
            search.options.push_back(fmt::format("--{} {}", option, *value));
        }
    }
    add_ranges(given, search);
    return search;
}

void refuse_searched(const SearchRequest& request, const experiment::Searching& search,
                     Diagnostics& problems) {
    for (std::size_t i = 0; i < request.options.size(); ++i) {
        Diagnostics reported_before;
        const auto set = experiment::read_override(request.request.overrides[i],
                                                   static_cast<int>(i) + 1, reported_before);
        if (!set || !request.options[i].empty()) {
            continue;
        }
        for (const experiment::SearchRange& range : search.space) {
            const auto searched = experiment::read_key_path(range.key);
            if (searched && is_within(set->path, *searched)) {
                problems.error(
                    set->value, join(set->path, "."),
                    Explanation{
                        fmt::format("{} is searched, so that trials have other values", range.key),
                        "leave out the value, or the range"});
            }
        }
    }
}

std::vector<std::string> common_overrides(const Given& given) {
    std::vector<std::string> overrides = given.texts("set");
    std::erase_if(overrides, [](const std::string& text) {
        Diagnostics reported_before;
        const auto set = experiment::read_override(text, 1, reported_before);
        return set && set->path.front() == "search";
    });
    return overrides;
}

void show_problems(const Diagnostics& problems, const SearchRequest& request) {
    std::size_t warnings = 0;
    for (const Problem& problem : problems.sorted()) {
        show(as_typed(problem, request), request.request.overrides);
        warnings += problem.severity == Severity::kWarning ? 1 : 0;
    }
    if (problems.error_count() > 1) {
        fmt::print(stderr, "{}\n", experiment::count_text(problems.error_count(), warnings));
    }
}

}  // namespace ptp::search
