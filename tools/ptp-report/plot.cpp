// `ptprun plot`: draws curves of runs in the terminal.

#include "base/exit_code.hpp"
#include "base/explanation.hpp"
#include "base/suggest.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "experiment/familiar_names.hpp"
#include "ptp-report/curve_picture.hpp"
#include "ptp-report/report.hpp"
#include "ptp-report/statistics_table.hpp"
#include "ptprun/run_operand.hpp"
#include "run/resolve.hpp"
#include "run/run.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ptp::report {

namespace {

// The statistics that runs have, and the sets in which each was measured.
using SetsOf = std::map<std::string, std::set<std::string>>;

bool is_run(const std::string& word) {
    return std::holds_alternative<std::filesystem::path>(run::find_run(word, run::this_machine()));
}

// Refuses `loss RUN`, with the words in their order.
void require_order(const ptprun::Given& given) {
    const tools::Strings& words = given.operands();
    if (words.size() < 2 || is_run(words.front()) || !is_run(words.back())) {
        return;
    }
    std::string line = "ptprun plot";
    const tools::Strings runs(words.begin() + 1, words.end());
    for (const tools::Strings& part : {runs, {words.front()}, given.options_without({})}) {
        for (const std::string& word : part) {
            line += " " + shell_word(word);
        }
    }
    throw tools::UsageError(Explanation{
        fmt::format("'{}' is not a run: the statistic is the last word", words.front()), line}
                                .text());
}

// Returns the curves of the statistic, and adds all statistics of the runs to `known`.
std::vector<Curve> curves_in(const ptprun::Given& given, const tools::Strings& runs,
                             const std::string& statistic, SetsOf& known) {
    const tools::Strings sets = given.texts("set");
    const bool is_log = given.has("log");
    std::vector<Curve> curves;
    for (const std::string& word : runs) {
        const std::filesystem::path run = ptprun::run_operand(word);
        for (const StatisticsTable& table : statistics_of(run)) {
            for (const std::string& name : table.names) {
                if (!is_place(name)) {
                    known[name].insert(table.set);
                }
            }
            const std::vector<double>* values = table.find(statistic);
            if (values == nullptr || is_place(statistic) ||
                (!sets.empty() && std::ranges::find(sets, table.set) == sets.end())) {
                continue;
            }
            Curve curve{.title = run::plain((runs.size() > 1 ? word + "  " : "") + table.set),
                        .x = {},
                        .y = {}};
            for (std::size_t row = 0; row < values->size(); ++row) {
                const double value = is_log ? std::log10((*values)[row]) : (*values)[row];
                if (std::isfinite(value) && std::isfinite(table.columns[0][row])) {
                    curve.x.push_back(table.columns[0][row]);
                    curve.y.push_back(value);
                }
            }
            curves.push_back(std::move(curve));
        }
    }
    return curves;
}

std::vector<std::string> harmless_texts(const std::set<std::string>& names) {
    std::vector<std::string> texts;
    std::ranges::transform(names, std::back_inserter(texts), harmless);
    return texts;
}

// Refuses a statistic, or a set of it, that no run has, with those that there are.
[[noreturn]] void refuse(const ptprun::Given& given, const std::string& statistic,
                         const SetsOf& known) {
    if (const auto found = known.find(statistic); found != known.end()) {
        const std::vector<std::string> sets = harmless_texts(found->second);
        const std::string asked = given.texts("set").front();
        const auto near = nearest(asked, sets);
        const auto begun = std::ranges::find_if(
            sets, [&](const std::string& set) { return set.starts_with(asked); });
        const std::string meant = near ? *near : begun == sets.end() ? "" : *begun;
        throw tools::UsageError(
            Explanation{fmt::format("--set {}: no such set has '{}'", harmless(asked), statistic),
                        "--set " + (meant.empty() ? joined(sets, "or") : meant)}
                .text());
    }
    std::set<std::string> names;
    std::ranges::transform(known, std::inserter(names, names.end()),
                           [](const auto& one) { return one.first; });
    const std::vector<std::string> texts = harmless_texts(names);
    const std::string whole = experiment::statistic_of(statistic);  // "loss" for "val_loss"
    const auto near = names.contains(whole) ? std::optional(whole) : nearest(statistic, texts);
    throw tools::UsageError(fmt::format("no run has a statistic '{}'{}", harmless(statistic),
                                        names.empty() ? "; they have none yet"
                                        : near        ? fmt::format("; did you mean '{}'?", *near)
                                                      : "\n    fix: name one of " + joined(texts)));
}

// Lists the statistics with the sets in which each was measured.
void print_statistics(const SetsOf& known) {
    std::size_t width = 0;
    for (const auto& [name, sets] : known) {
        width = std::max(width, harmless(name).size());
    }
    for (const auto& [name, sets] : known) {
        fmt::print("{:<{}}  {}\n", harmless(name), width, join(harmless_texts(sets), ", "));
    }
    if (known.empty()) {
        fmt::print("no statistics yet\n");
    }
}

}  // namespace

int plot(const ptprun::Given& given) {
    require_order(given);
    tools::Strings runs = given.operands();
    std::string statistic;  // "": none is named
    if (runs.size() > 1) {
        statistic = runs.back();
        runs.pop_back();
    }
    SetsOf known;
    const std::vector<Curve> curves = curves_in(given, runs, statistic, known);
    if (statistic.empty()) {
        print_statistics(known);
        return kDone;
    }
    if (curves.empty()) {
        refuse(given, statistic, known);
    }
    Picture picture{.x = {},
                    .y = {},
                    .height = static_cast<std::size_t>(*given.integer("height")),
                    .is_log = given.has("log"),
                    .is_colored = has_color(STDOUT_FILENO)};
    for (const Curve& curve : curves) {
        std::ranges::for_each(curve.x, [&](double value) { picture.x.add(value); });
        std::ranges::for_each(curve.y, [&](double value) { picture.y.add(value); });
    }
    if (picture.x.is_empty()) {
        fmt::print("{} has no finite numbers yet\n", harmless(statistic));
    } else {
        print_picture(picture, curves);
    }
    return kDone;
}

}  // namespace ptp::report
