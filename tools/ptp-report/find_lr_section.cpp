// Copies the rates, losses and suggestion of a range test.

#include "ptp-report/sections.hpp"

#include "ptp-report/checked_json.hpp"
#include "run/paths.hpp"

#include <algorithm>

namespace ptp::report {

namespace {

constexpr std::int64_t kNewestFormat = 1;
constexpr std::size_t kMaxPoints = 2000;

// Returns [rate, loss, smoothed loss], evenly over all.
Json points_in(const Json& found) {
    const Json& rates = list_in(found, "learning_rates");
    const Json& losses = list_in(found, "losses");
    const Json& smoothed = list_in(found, "smoothed");
    const std::size_t count = std::min(rates.size(), losses.size());
    const std::size_t step = std::max<std::size_t>(1, (count + kMaxPoints - 1) / kMaxPoints);
    Json points = Json::array();
    for (std::size_t i = 0; i < count; i += step) {
        const Json rate = finite_in(rates[i]);
        if (rate.is_number() && rate.get<double>() > 0) {
            points.push_back({rate, finite_in(losses[i]),
                              i < smoothed.size() ? finite_in(smoothed[i]) : Json(nullptr)});
        }
    }
    return points;
}

}  // namespace

void add_find_lr(Json& sections, const std::filesystem::path& run,
                 std::vector<std::string>& problems) {
    const std::optional<Json> found =
        json_in_run(run / run::kRangeTestFile, kNewestFormat,
                    "\n    fix: delete it; the report has no range test then", problems);
    if (found) {
        sections.push_back({{"kind", "find_lr"},
                            {"suggestion", finite_in(*found, "suggestion")},
                            {"lowest", finite_in(*found, "lowest")},
                            {"diverged", finite_in(*found, "diverged")},
                            {"points", points_in(*found)}});
    }
}

}  // namespace ptp::report
