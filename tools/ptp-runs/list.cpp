// Lists of runs: their order, their columns, and their JSON.

#include "base/toml_writer.hpp"
#include "ptp-runs/groups.hpp"
#include "run/read_run.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace ptp::runs {

using run::Measurement;
using run::Run;

namespace {

bool are_several(const std::vector<Run>& runs, const Column& column) {
    return std::ranges::any_of(runs, [&](const Run& run) {
        return cell_text(run, column) != cell_text(runs.front(), column);
    });
}

bool any_has(const std::vector<Run>& runs, const Column& column) {
    return std::ranges::any_of(runs,
                               [&](const Run& run) { return !cell_text(run, column).empty(); });
}

Json or_null(const auto& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json or_null(const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
}

Json or_null(const std::optional<Measurement>& measured) {
    return measured ? json_of(value_of(*measured)) : Json(nullptr);
}

// Returns values that JSON cannot express as TOML in a string.
Json setting_json(const Value& value) {
    const bool is_plain = value.is_bool() || value.is_integer() || value.is_string() ||
                          (value.is_real() && std::isfinite(value.as_real()));
    return is_plain ? json_of(value) : Json(inline_toml(value));
}

}  // namespace

bool is_before(const std::optional<Value>& left, const std::optional<Value>& right,
               bool is_descending) {
    const auto rank = [](const std::optional<Value>& value) {
        if (!value || (value->is_real() && std::isnan(value->as_real()))) {
            return 2;
        }
        return value->is_number() ? 0 : 1;
    };
    if (rank(left) != rank(right) || rank(left) == 2) {
        return rank(left) < rank(right);
    }
    const Value& first = is_descending ? *right : *left;
    const Value& second = is_descending ? *left : *right;
    if (first.is_number()) {
        return first.as_real() < second.as_real();
    }
    return first.is_string() && second.is_string() && first.as_string() < second.as_string();
}

void sort_by(std::vector<Run>& runs, const Column& column, bool is_descending) {
    std::ranges::stable_sort(runs, [&](const Run& left, const Run& right) {
        if (is_of_training(left, column) != is_of_training(right, column)) {
            return is_of_training(right, column);
        }
        return is_before(value_of(left, column), value_of(right, column), is_descending);
    });
}

std::vector<Column> comparison(const std::vector<Run>& runs, const std::vector<Column>& asked) {
    std::vector<Column> columns = {{"run"}, {"state"}};
    const auto add = [&](const std::vector<Column>& some) {
        for (const Column& column : some) {
            add_column(columns, column);
        }
    };
    const auto add_if_any = [&](const std::string& fact) {
        if (any_has(runs, {fact})) {
            add_column(columns, {fact});
        }
    };
    if (are_several(runs, {"experiment"})) {
        add_column(columns, {"experiment"});
    }
    add_if_any("trial");
    if (std::ranges::any_of(runs, [](const Run& run) { return is_of_training(run, {"loss"}); })) {
        add_column(columns, {"set"});
    }
    add(asked);
    add_column(columns, {"loss"});
    add(statistics_of(runs));
    add_column(columns, {"epoch"});
    add(varied_settings(runs));
    add_if_any("tags");
    add({{"episodes"}, kTime});
    add_if_any("note");
    add_if_any("problem");
    return columns;
}

Table table_of(const std::vector<Run>& runs, const std::vector<Column>& columns) {
    const std::filesystem::path common = run::common_folder(runs);
    Table table;
    for (const Column& column : columns) {
        TableColumn& cells = table.emplace_back(TableColumn{.title = column.title,
                                                            .is_right = is_measured(column),
                                                            .is_whole = column.is_asked_for});
        for (const Run& run : runs) {
            cells.cells.push_back(column.is_like({"run"})
                                      ? run::plain(run::name_below(common, run.folder))
                                      : cell_text(run, column));
        }
    }
    return table;
}

Json listing_of(const std::vector<Run>& runs) {
    const std::vector<Column> settings = differing_settings(runs);
    Json list = Json::array();
    for (const Run& run : runs) {
        Json differing = Json::object();
        for (const Column& column : settings) {
            const auto value = value_of(run, column);
            differing[column.name] = value ? setting_json(*value) : Json(nullptr);
        }
        list.push_back({{"run", run.folder.string()},
                        {"state", run.state},
                        {"reason", or_null(run.reason)},
                        {"exit_code", or_null(run.exit_code)},
                        {"experiment", or_null(run.experiment)},
                        {"episode", run.episode},
                        {"epoch", run.epoch},
                        {"seconds", or_null(run.seconds)},
                        {"began", or_null(run.began)},
                        {"ended", or_null(run.ended)},
                        {run::kBestMeasured, or_null(run.best)},
                        {run::kLastMeasured, or_null(run.last)},
                        {"settings", std::move(differing)},
                        {"trial", or_null(run.trial)},
                        {"tags", run.tags},
                        {"note", or_null(run.note)},
                        {"problem", or_null(problem_of(run))}});
    }
    return list;
}

}  // namespace ptp::runs
