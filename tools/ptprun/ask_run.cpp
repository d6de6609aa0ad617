#include "ask_run.hpp"

#include "base/error.hpp"
#include "base/toml_writer.hpp"
#include "control/client.hpp"
#include "finished_run.hpp"
#include "run_operand.hpp"
#include "show_error.hpp"
#include "status_text.hpp"

#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>

namespace ptp::ptprun {

namespace po = boost::program_options;

namespace {

constexpr int kUsualTimeout = 60;
constexpr std::size_t kMaxLine = 100;

std::chrono::seconds timeout_from(const po::variables_map& options) {
    const int seconds = options["timeout"].as<int>();
    if (seconds < 1) {
        throw po::error(fmt::format("--timeout {}: must be at least 1", seconds));
    }
    return std::chrono::seconds(seconds);
}

// The reasons of a refusal on lines of their own: "a: cannot be swapped in (migrate): b; c; d".
std::string on_lines(std::string message) {
    constexpr std::string_view kEnd = "; ";
    if (message.size() <= kMaxLine || message.find('\n') != std::string::npos) {
        return message;
    }
    for (std::size_t at = message.find(kEnd); at != std::string::npos;
         at = message.find(kEnd, at + 1)) {
        message.replace(at, kEnd.size(), "\n    ");
    }
    return message;
}

void say(const control::Reply& reply, bool is_short) {
    Value result = reply.result;
    if (!reply.is_ok) {
        show_error(on_lines(reply.message));
        result.erase("exit_code");  // it is what this program ends with
    } else if (!reply.message.empty()) {
        fmt::print("{}\n", reply.message);
        result.erase("episode");  // it is in the message
    }
    fmt::print("{}", is_short ? status_text(result) : to_toml(result));
}

// A run that has ended tells its last status; nothing else can be asked of it.
control::Reply reply_of(const std::string& folder, const control::Request& request,
                        std::chrono::seconds timeout) {
    try {
        return control::Client(folder, timeout).ask(request);
    } catch (const RunError&) {
        auto status = request.command == "status" ? finished_status(folder) : std::nullopt;
        if (!status) {
            throw;
        }
        return {true, "", std::move(*status)};
    }
}

}  // namespace

void add_asking_options(po::options_description& options) {
    options.add_options()  //
        ("timeout", po::value<int>()->default_value(kUsualTimeout)->value_name("SECONDS"),
         "how long to wait for the reply, which comes between two episodes")  //
        ("json", "the reply as a JSON object, for programs")                  //
        ("help,h", "show this help");
}

int ask_run(const std::string& run, const control::Request& request,
            const po::variables_map& options) {
    const auto timeout = timeout_from(options);
    const std::string folder = run_operand(run).string();
    try {
        const control::Reply reply = reply_of(folder, request, timeout);
        if (options.count("json") > 0) {
            fmt::print("{}\n", control::line_of(reply));
        } else {
            say(reply, request.command == "status" && options.count("all") == 0);
        }
        return reply.exit_code();
    } catch (const RunError& error) {
        show_error(error.what());
        return error.code();
    }
}

}  // namespace ptp::ptprun
