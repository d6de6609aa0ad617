#include "ask_run.hpp"
#include "base/exit_code.hpp"
#include "base/suggest.hpp"
#include "commands.hpp"
#include "prepare.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace ptp::ptprun {

namespace po = boost::program_options;

namespace {

constexpr std::string_view kLearningRate = "learning-rate";

double rate_of(const std::string& text) {
    double rate = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, rate);
    if (read.ec != std::errc() || read.ptr != end) {
        throw po::error(fmt::format("learning-rate {}: must be a real in [0, inf)", text));
    }
    return rate;
}

Value episodes(const std::string& text) {
    std::int64_t count = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, count);
    if (read.ec != std::errc() || read.ptr != end) {
        throw po::error(fmt::format("continue {}: must be an integer in [1, inf)", text));
    }
    return Value::table({{"episodes", count}});
}

Value learning_rate(const std::vector<std::string>& words, const po::variables_map& map) {
    if (words.size() < 3) {
        throw po::error("learning-rate: the rate is needed");
    }
    Value arguments = Value::table({{"rate", rate_of(words[2])}});
    if (map.count("group") > 0) {
        arguments.set("group", map["group"].as<std::string>());
    }
    return arguments;
}

control::Request request_from(const std::vector<std::string>& words, const po::variables_map& map) {
    const std::string& name = words[1];
    const auto& known = control_requests();
    if (std::ranges::find(known, name) == known.end()) {
        throw po::error(fmt::format("'{}': unknown request{}", name, hint(name, known)));
    }
    control::Request request{name, {}};
    if (name == kLearningRate) {
        request = {"learning_rate", learning_rate(words, map)};
    } else if (name == "continue" && words.size() > 2) {
        request.arguments = episodes(words[2]);
    } else if (words.size() > 2) {
        throw po::error(fmt::format("'{}' is one word too many", words[2]));
    }
    if (name != kLearningRate && map.count("group") > 0) {
        throw po::error(fmt::format("--group: only {} has it", kLearningRate));
    }
    if (name != "status" && map.count("all") > 0) {
        throw po::error("--all: only status has it");
    }
    try {
        control::check(request);
    } catch (const control::ProtocolError& error) {
        throw po::error(error.what());
    }
    return request;
}

}  // namespace

const std::vector<std::string>& control_requests() {
    static const std::vector<std::string> all = {
        "status", "pause", "continue", "checkpoint", "validate", std::string(kLearningRate)};
    return all;
}

int control_command(const Arguments& arguments) {
    const auto [map, words] = parse_words(
        arguments, control_options(), {2, 3, "a run folder and what is asked of it are needed"});
    if (map.count("help") > 0) {
        fmt::print("{}", options_text(control_options()));
        return kDone;
    }
    return ask_run(words.front(), request_from(words, map), map);
}

Options control_options() {
    Options description(
        "Options of control; REQUEST is status, pause, continue [EPISODES], checkpoint,\n"
        "validate or learning-rate RATE");
    description.add_options()("group", po::value<std::string>()->value_name("NAME"),
                              "the learning rate of this component alone")(
        "all", "with status: everything there is, as TOML");
    add_asking_options(description);
    return description;
}

}  // namespace ptp::ptprun
