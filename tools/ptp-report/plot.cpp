// `ptprun plot`: draws curves of runs in the terminal.

#include "base/exit_code.hpp"
#include "base/suggest.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "ptp-report/curve_picture.hpp"
#include "ptp-report/report.hpp"
#include "ptp-report/statistics_table.hpp"
#include "ptprun/run_operand.hpp"
#include "run/run.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace ptp::report {

namespace {

std::vector<Curve> curves_in(const ptprun::Given& given, std::set<std::string>& known) {
    const tools::Strings& words = given.operands();
    const std::string& statistic = words.back();
    const tools::Strings sets = given.texts("set");
    const bool is_log = given.has("log");
    std::vector<Curve> curves;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        const std::filesystem::path run = ptprun::run_operand(words[i]);
        for (const StatisticsTable& table : statistics_of(run)) {
            for (const std::string& name : table.names) {
                if (!is_place(name)) {
                    known.insert(name);
                }
            }
            const std::vector<double>* values = table.find(statistic);
            if (values == nullptr || is_place(statistic) ||
                (!sets.empty() && std::ranges::find(sets, table.set) == sets.end())) {
                continue;
            }
            Curve curve{.title = run::plain((words.size() > 2 ? words[i] + "  " : "") + table.set),
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

}  // namespace

int plot(const ptprun::Given& given) {
    std::set<std::string> known;
    const std::vector<Curve> curves = curves_in(given, known);
    const std::string& statistic = given.operands().back();
    if (curves.empty()) {
        const std::vector<std::string> names(known.begin(), known.end());
        throw tools::UsageError(
            known.contains(statistic)
                ? fmt::format("no such set has '{}'\n    fix: leave --set out", statistic)
                : fmt::format("no run has a statistic '{}'{}", harmless(statistic),
                              names.empty() ? std::string("; they have none yet")
                                            : "\n    fix: name one of " + harmless(joined(names))));
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
