// Reads and writes the table [search] and its space of values.

#include "experiment/readers.hpp"

#include "experiment/load/override.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptp::experiment {

namespace {

constexpr const char* kSpace = "space";

std::vector<Field> search_fields(Searching& searching, Map<RawTable>& space) {
    return {{.name = "trials",
             .into = &searching.trials,
             .help = "how many are drawn; more of them begin with the same ones",
             .range = "[1, 10000]"},
            {.name = "halving",
             .into = &searching.halving,
             .help = "the best 1/N of the trials are trained N times as long, the best 1/N of "
                     "these again, and so on; 0: all are trained to their end",
             .range = "[0, inf)"},
            {.name = "min_budget",
             .into = &searching.min_budget,
             .help = "epochs, with the online worker episodes, for which each trial is trained at "
                     "least; by default 1, with the online worker as far as its first validation",
             .range = "[1, inf)"},
            {.name = kSpace,
             .into = &space,
             .help = "what is tried: a key as after --set, in quotes, and its range"}};
}

// The forms of a range; exactly one is present.
struct RangeWords {
    std::optional<std::array<double, 2>> uniform;
    std::optional<std::array<double, 2>> log_uniform;
    std::optional<std::array<std::int64_t, 2>> integer;
    std::optional<std::array<std::int64_t, 2>> log_integer;
    Raw choice = nullptr;

    // Returns the keys in the order of kDistributions.
    std::vector<Field> fields() {
        return {{.name = kDistributions[0],
                 .into = &uniform,
                 .help = "a real between two numbers, each equally likely",
                 .range = "(-inf, inf)",
                 .is_alternative = true},
                {.name = kDistributions[1],
                 .into = &log_uniform,
                 .help = "a real between two numbers, each order of magnitude equally likely",
                 .range = "(0, inf)",
                 .is_alternative = true},
                {.name = kDistributions[2],
                 .into = &integer,
                 .help = "an integer from the first to the second, each equally likely",
                 .is_alternative = true},
                {.name = kDistributions[3],
                 .into = &log_integer,
                 .help = "an integer from the first to the second: log_uniform from half below "
                         "the first to half above the second, rounded",
                 .range = "[1, inf)",
                 .is_alternative = true},
                {.name = kDistributions[4],
                 .into = &choice,
                 .help = "one of the values in a list, each equally likely",
                 .is_alternative = true,
                 .expected = "a list of values"}};
    }

    [[nodiscard]] bool has(std::size_t distribution) const {
        return std::array{uniform.has_value(), log_uniform.has_value(), integer.has_value(),
                          log_integer.has_value(), choice != nullptr}
            .at(distribution);
    }
};

std::string problem_of(Distribution distribution, const Value& values) {
    if (distribution != Distribution::kChoice) {
        return values.items()[0].as_real() < values.items()[1].as_real()
                   ? ""
                   : "the first must be below the second";
    }
    return !values.is_list()        ? "must be a list of values"
           : values.items().empty() ? "must have at least 1 item, has 0"
                                    : "";
}

// Converts integers in a range of reals to reals.
std::vector<Value> values_of(Distribution distribution, const Value& values) {
    const bool is_real =
        distribution == Distribution::kUniform || distribution == Distribution::kLogUniform;
    std::vector<Value> all = values.items();
    for (Value& value : all) {
        if (is_real) {
            value = Value(value.as_real()).at(value.place());
        }
    }
    return all;
}

void check_key(const Scope& space, const Entry<RawTable>& entry) {
    const auto path = read_key_path(entry.key);
    if (!path) {
        space.problems.error(entry.key_place, space.key(entry.key),
                             "is not a key, such as \"training.optimizer.lr\"");
    } else if (path->front() == "search" || path->front() == "include") {
        space.problems.error(entry.key_place, space.key(entry.key),
                             "cannot be searched: trials would not be of one search");
    }
}

// Returns "training.optimizer.lr" if the key was written without quotes and is therefore nested
// tables; otherwise "".
std::string unquoted_key(const Entry<RawTable>& entry) {
    std::string key = entry.key;
    const Value* table = entry.value.table;
    while (table->members().size() == 1 && table->members().front().value.is_table()) {
        key = below(key, table->members().front().key);
        table = &table->members().front().value;
    }
    return table == entry.value.table ? "" : key;
}

void read_range(const Scope& space, const Entry<RawTable>& entry, Searching& searching) {
    check_key(space, entry);
    if (const std::string key = unquoted_key(entry); !key.empty()) {
        space.problems.error(entry.key_place, space.key(entry.key),
                             Explanation{"is not a range: a key of the space is in quotes",
                                         fmt::format("\"{}\" = ...", key)});
        return;
    }
    const Scope scope = space.at(*entry.value.table, entry.key);
    const std::size_t errors = scope.problems.error_count();
    RangeWords words;
    read_all_fields(scope, words.fields());
    if (scope.problems.error_count() > errors) {
        return;
    }
    for (std::size_t i = 0; i < kDistributions.size(); ++i) {
        if (!words.has(i)) {
            continue;
        }
        const auto distribution = static_cast<Distribution>(i);
        const Value& values = *scope.table.find(kDistributions.at(i));
        if (std::string problem = problem_of(distribution, values); !problem.empty()) {
            scope.problems.error(values, scope.key(kDistributions.at(i)), std::move(problem));
            return;
        }
        searching.space.push_back({entry.key, distribution, values_of(distribution, values)});
    }
}

// Returns whether `path` equals `above` or names a key within it.
bool is_within(const std::vector<std::string>& path, const std::vector<std::string>& above) {
    return above.size() <= path.size() && std::equal(above.begin(), above.end(), path.begin());
}

// Rejects overlapping keys: a trial would use one of two values, but have both in its name.
void refuse_overlaps(const Scope& space, const Map<RawTable>& entries) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const auto path = read_key_path(entries[i].key);
        for (std::size_t other = 0; path && other < i; ++other) {
            const auto before = read_key_path(entries[other].key);
            if (!before || !(is_within(*path, *before) || is_within(*before, *path))) {
                continue;
            }
            const char* const how = path->size() == before->size()  ? "is the same key as"
                                    : path->size() > before->size() ? "is within"
                                                                    : "contains";
            space.problems.error(
                entries[i].key_place, space.key(entries[i].key),
                Explanation{fmt::format("{} {}, which is searched too", how, entries[other].key),
                            "search one of the two"});
        }
    }
}

SourceLocation written_place(const Scope& scope, const char* key) {
    const Value* const value = scope.table.find(key);
    return value == nullptr ? SourceLocation() : value->place();
}

}  // namespace

void read_searching(const Scope& scope, Searching& searching) {
    Map<RawTable> space;
    read_all_fields(scope, search_fields(searching, space));
    if (searching.halving == 1) {
        scope.problems.error(*scope.table.find("halving"), scope.key("halving"),
                             "must be 0 for none, or at least 2");
    }
    searching.halving_place = written_place(scope, "halving");
    searching.min_budget_place = written_place(scope, "min_budget");
    if (space.empty()) {
        return;
    }
    const Scope ranges = scope.at(*scope.table.find(kSpace), kSpace);
    for (const Entry<RawTable>& entry : space) {
        read_range(ranges, entry, searching);
    }
    refuse_overlaps(ranges, space);
}

Value tree_of(const Searching& searching) {
    Searching copy = searching;
    Map<RawTable> unwritten;
    Value tree = write_fields(search_fields(copy, unwritten));
    Value& space = tree.set(kSpace, Value());
    for (const SearchRange& range : searching.space) {
        const auto distribution = static_cast<std::size_t>(range.distribution);
        space.set(range.key, Value::table({{std::string(kDistributions.at(distribution)),
                                            Value::list(range.values)}}));
    }
    return tree;
}

std::string range_path(const std::string& key) {
    return below(below("search", kSpace), key);
}

}  // namespace ptp::experiment
