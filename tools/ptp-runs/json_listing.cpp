// Runs as JSON.

#include "ptp-runs/groups.hpp"

#include "base/toml_writer.hpp"

#include <cmath>

namespace ptp::runs {

using namespace run;

namespace {

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
    if (value.is_bool()) {
        return value.as_bool();
    }
    if (value.is_integer()) {
        return value.as_integer();
    }
    if (value.is_real() && std::isfinite(value.as_real())) {
        return value.as_real();
    }
    return value.is_string() ? value.as_string() : inline_toml(value);
}

}  // namespace

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
                        {kBestMeasured, or_null(run.best)},
                        {kLastMeasured, or_null(run.last)},
                        {"settings", std::move(differing)},
                        {"trial", or_null(run.trial)},
                        {"tags", run.tags},
                        {"note", or_null(run.note)},
                        {"problem", or_null(run.problem)}});
    }
    return list;
}

}  // namespace ptp::runs
