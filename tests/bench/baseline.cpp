#include "bench/baseline.hpp"

#include "base/json.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace ptp::bench {

namespace {

constexpr double kTolerated = 0.9;

Result result_of(const Json& json) {
    return {json.at("net").get<std::string>(), json.at("threads").get<int>(),
            json.at("by_hand_ms").get<double>(), json.at("engine_ms").get<double>()};
}

}  // namespace

std::string Result::title() const {
    return fmt::format("{}, {} thread{}", net, threads, threads == 1 ? "" : "s");
}

void write_results(const std::string& file, const std::string& system,
                   const std::vector<Result>& results) {
    Json all = {{"format", 1}, {"system", system}, {"results", Json::array()}};
    for (const Result& result : results) {
        all["results"].push_back({{"net", result.net},
                                  {"threads", result.threads},
                                  {"by_hand_ms", result.by_hand_ms},
                                  {"engine_ms", result.engine_ms},
                                  {"ratio", result.ratio()}});
    }
    std::ofstream stream(file);
    stream << text_of(all, 2) << '\n';
    stream.close();
    if (!stream) {
        throw std::runtime_error(fmt::format("{}: cannot be written", file));
    }
}

std::vector<Result> read_results(const std::string& file) {
    std::ifstream stream(file);
    if (!stream) {
        throw std::runtime_error(fmt::format("{}: cannot be read", file));
    }
    std::ostringstream text;
    text << stream.rdbuf();
    const Json json = parsed_json(text.str()).value_or(Json());
    try {
        std::vector<Result> results;
        for (const Json& each : json.at("results")) {
            results.push_back(result_of(each));
        }
        return results;
    } catch (const nlohmann::json::exception&) {
        throw std::runtime_error(
            fmt::format("{}: has no measurements; --json FILE writes such a file", file));
    }
}

std::string loss_of(const Result& now, const std::vector<Result>& baseline) {
    const auto before = std::ranges::find_if(baseline, [&](const Result& other) {
        return other.net == now.net && other.threads == now.threads;
    });
    if (before == baseline.end() || now.ratio() >= kTolerated * before->ratio()) {
        return "";
    }
    return fmt::format("{}: {:.2f} of the speed by hand, {:.2f} in the baseline: {:.0f} % worse",
                       now.title(), now.ratio(), before->ratio(),
                       100 * (1 - now.ratio() / before->ratio()));
}

}  // namespace ptp::bench
