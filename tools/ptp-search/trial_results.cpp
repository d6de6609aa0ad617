// Reads and writes the results of trials.

#include "ptp-search/trial_results.hpp"

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/json.hpp"
#include "base/output_file.hpp"
#include "ptp-search/claims.hpp"
#include "run/format.hpp"

#include <fmt/core.h>

namespace ptp::search {

namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kResultFormat = 1;

Json json_or_null(const std::optional<double>& number) {
    return number ? Json(*number) : Json();
}

std::optional<double> number_in(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_number() ? std::optional(found->get<double>())
                                                     : std::nullopt;
}

}  // namespace

TrialScore TrialResult::score(std::size_t trial, bool is_larger_better) const {
    TrialScore score{trial, has_failed(), value};
    if (score.value && is_larger_better) {
        score.value = -*score.value;
    }
    return score;
}

std::string rung_name(const std::string& trial, std::size_t rung) {
    return fmt::format("{}.rung{}", trial, rung + 1);
}

std::optional<TrialResult> read_result(const fs::path& file) {
    if (!fs::exists(file)) {
        return std::nullopt;
    }
    const std::optional<Json> read = parsed_json(read_text(file));
    try {
        const Json json = read.value_or(Json());
        run::check_format(file, json.at("format").get<std::int64_t>(), kResultFormat);
        return TrialResult{.state = json.at("state").get<std::string>(),
                           .exit_code = json.at("exit_code").get<int>(),
                           .error = json.at("error").get<std::string>(),
                           .episode = json.at("episode").get<std::int64_t>(),
                           .epoch = json.at("epoch").get<std::int64_t>(),
                           .value = number_in(json, "value"),
                           .seconds = number_in(json, "seconds")};
    } catch (const nlohmann::json::exception&) {
        throw RunError(kDataError, fmt::format("{}: is not the result of a trial", file.string()));
    }
}

bool note_killed(const fs::path& file) {
    return create_whole(file, text_of({{"format", kResultFormat}}) + "\n");
}

void write_result(const fs::path& file, const TrialResult& result) {
    const Json json = {{"format", kResultFormat},
                       {"state", result.state},
                       {"exit_code", result.exit_code},
                       {"error", result.error},
                       {"episode", result.episode},
                       {"epoch", result.epoch},
                       {"value", json_or_null(result.value)},
                       {"seconds", json_or_null(result.seconds)}};
    create_whole(file, text_of(json, 2) + "\n");
}

}  // namespace ptp::search
