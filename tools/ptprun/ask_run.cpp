#include "ask_run.hpp"

#include "config/write.hpp"
#include "control/client.hpp"
#include "engine/error.hpp"
#include "run_operand.hpp"
#include "show_error.hpp"
#include "status_text.hpp"

#include <fmt/core.h>

#include <chrono>
#include <cstdio>

namespace ptp::ptprun {

namespace po = boost::program_options;

namespace {

constexpr int kUsualTimeout = 60;

std::chrono::seconds timeout_from(const po::variables_map& options) {
    const int seconds = options["timeout"].as<int>();
    if (seconds < 1)
        throw po::error(fmt::format("--timeout {}: must be at least 1", seconds));
    return std::chrono::seconds(seconds);
}

void say(const control::Reply& reply, bool is_short) {
    if (!reply.is_ok) {
        show_error(reply.message);
    } else if (!reply.message.empty()) {
        fmt::print("{}\n", reply.message);
    }
    config::Value result = reply.result;
    result.erase("exit_code");  // it is what this program ends with
    fmt::print("{}", is_short ? status_text(result) : config::to_toml(result));
}

}  // namespace

void add_asking_options(po::options_description& options) {
    options.add_options()  //
        ("timeout", po::value<int>()->default_value(kUsualTimeout)->value_name("SECONDS"),
         "how long to wait for the answer, which comes between two episodes")  //
        ("json", "the answer as a JSON object, for programs")                  //
        ("help,h", "say this");
}

int ask_run(const std::string& run, const control::Request& request,
            const po::variables_map& options) {
    const auto timeout = timeout_from(options);
    const std::string folder = run_operand(run).string();
    try {
        const control::Reply reply = control::Client(folder, timeout).ask(request);
        if (options.count("json") > 0)
            fmt::print("{}\n", control::line_of(reply));
        else
            say(reply, request.command == "status" && options.count("all") == 0);
        return reply.exit_code();
    } catch (const engine::RunError& error) {
        show_error(error.what());
        return error.code();
    }
}

}  // namespace ptp::ptprun
