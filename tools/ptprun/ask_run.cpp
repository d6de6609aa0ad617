#include "ask_run.hpp"

#include "base/error.hpp"
#include "base/toml_writer.hpp"
#include "control/client.hpp"
#include "control/command.hpp"
#include "finished_run.hpp"
#include "run_operand.hpp"
#include "show_error.hpp"
#include "status_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <utility>

namespace ptp::ptprun {

namespace {

constexpr std::int64_t kUsualTimeout = 60;
constexpr std::int64_t kMaxTimeout = 1000000000;  // 32 years, practically unlimited

void say(const control::Reply& reply, bool is_short) {
    Value result = reply.result;
    if (!reply.is_ok) {
        show_error(reply.message);
        result.erase("exit_code");  // it becomes the exit code of this program
    } else if (!reply.message.empty()) {
        fmt::print("{}\n", reply.message);
        result.erase("episode");  // it is in the message
    }
    fmt::print("{}", is_short ? status_text(result) : to_toml(result));
}

bool is_status(const control::Request& request) {
    return std::holds_alternative<control::Status>(control::parse(request));
}

// Returns the last status of a run that has ended; rejects other requests to it.
control::Reply reply_of(const std::string& folder, const control::Request& request,
                        std::chrono::seconds timeout) {
    try {
        return control::Client(folder, timeout).ask(request);
    } catch (const RunError&) {
        auto status = is_status(request) ? finished_status(folder) : std::nullopt;
        if (!status) {
            throw;
        }
        return {true, "", std::move(*status)};
    }
}

}  // namespace

std::vector<Option> asking_options() {
    return {{.name = "timeout",
             .value = "SECONDS",
             .help = "how long to wait for the reply, which comes between two episodes",
             .integers = tools::Integers{.min = 1, .usual = kUsualTimeout}},
            {.name = "json", .help = "print the reply as a JSON object"}};
}

int ask_run(const std::string& run, const control::Request& request, const Given& given) {
    const std::chrono::seconds timeout(std::min(*given.integer("timeout"), kMaxTimeout));
    const std::string folder = run_operand(run).string();
    try {
        const control::Reply reply = reply_of(folder, request, timeout);
        if (given.has("json")) {
            fmt::print("{}\n", control::line_of(reply));
        } else {
            say(reply, is_status(request) && !given.has("all"));
        }
        return reply.exit_code();
    } catch (const RunError& error) {
        show_error(error.what());
        return error.code();
    }
}

}  // namespace ptp::ptprun
