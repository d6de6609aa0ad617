// Sends requests to a running training, and formats replies and the status of a run.

#include "ask_run.hpp"

#include "base/duration.hpp"
#include "base/error.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "base/value.hpp"
#include "control/client.hpp"
#include "control/command.hpp"
#include "report.hpp"
#include "run/checkpoint_record.hpp"
#include "run/measurement.hpp"
#include "run/read_run.hpp"
#include "run_operand.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace ptp::ptprun {

namespace {

constexpr std::size_t kMaxNamed = 4;
constexpr double kShortSeconds = 10;
constexpr double kMiB = 1024.0 * 1024.0;

std::string line(std::string_view name, const std::string& what) {
    return what.empty() ? "" : fmt::format("{:<10}{}\n", name, what);
}

// Returns "3/10", or "3" without a limit.
std::string counted_of(double count, const Value& status, const char* whole) {
    const auto most = status.number_at(whole);
    return most ? fmt::format("{:.0f}/{:.0f}", count, *most) : fmt::format("{:.0f}", count);
}

std::string place(const Value& status) {
    const auto epoch = status.number_at("epoch");
    const auto episode = status.number_at("episode");
    const auto rate = status.number_at("episodes_per_second");
    if (!epoch || !episode) {
        return "";
    }
    return fmt::format("epoch {}, {} {} done{}", counted_of(*epoch, status, "epoch_count"),
                       counted_of(*episode, status, "episode_count"),
                       *episode == 1 && !status.number_at("episode_count") ? "episode" : "episodes",
                       rate && *rate > 0 ? ", " + rate_text(*rate) : "");
}

// Returns how a run ended: "converged (exit code 0)".
std::string result(const Value& status) {
    const auto code = status.number_at("exit_code");
    const std::string reason = status.text_at("reason");
    if (!code) {
        return reason;
    }
    return reason.empty() ? fmt::format("exit code {:.0f}", *code)
                          : fmt::format("{} (exit code {:.0f})", reason, *code);
}

// Returns "1h5m"; seconds are omitted from hours.
std::string time_left(const Value& status) {
    const auto seconds = status.number_at("seconds_left");
    const auto spent = status.number_at("seconds");
    const auto shown = [](double time) {
        const double unit = time >= 3600 ? 60 : 1;
        const double whole = static_cast<double>(static_cast<std::int64_t>(time / unit)) * unit;
        return whole < 1 ? std::string("0s") : duration_text(whole);
    };
    std::string left = seconds ? shown(*seconds) + " left" : "";
    if (spent) {
        const std::string state = status.text_at("state");
        const bool is_over = state != "running" && state != "paused";
        const bool is_short = is_over && *spent < kShortSeconds;
        left += (left.empty() ? "" : ", ") +
                (is_short ? fmt::format("{:.1f}s", *spent) : shown(*spent)) +
                (is_over ? "" : " so far");
    }
    return left;
}

// Returns "loss 0.25  accuracy 0.9 ..." for a table of numbers.
std::string numbers(const Value& table) {
    std::string all;
    std::size_t count = 0;
    for (const Member& member : table.members()) {
        if (!member.value.is_number()) {
            continue;
        }
        if (count++ == kMaxNamed) {
            return all + "  ...";
        }
        all +=
            fmt::format("{}{} {:.6g}", all.empty() ? "" : "  ", member.key, member.value.as_real());
    }
    return all;
}

std::string table_line(std::string_view name, const Value& status, const char* key) {
    const Value* table = status.find(key);
    return table != nullptr && table->is_table() ? line(name, numbers(*table)) : "";
}

// The key of a best measurement whose weights a kill has lost; it is false.
constexpr const char* kIsSaved = "is_saved";

std::string measured(const Value& status, const char* key) {
    const Value* set = status.find(key);
    if (set == nullptr || !set->is_table()) {
        return "";
    }
    const Value* statistics = set->find("statistics");
    const auto epoch = set->number_at("epoch");
    const Value* is_saved = set->find(kIsSaved);
    return fmt::format("{}{}{}  {}", epoch ? fmt::format("epoch {:.0f}  ", *epoch) : "",
                       is_saved != nullptr ? "(its weights were not saved)  " : "",
                       set->text_at("set"),
                       statistics != nullptr && statistics->is_table() ? numbers(*statistics) : "");
}

// Returns "small_net 3 (of 3)" for each exchanged plugin.
std::string generations(const Value& status) {
    const Value* list = status.find("generations");
    if (list == nullptr || !list->is_list()) {
        return "";
    }
    std::map<std::string, int> count;
    std::map<std::string, double> active;
    for (const Value& one : list->items()) {
        const std::string plugin = one.text_at("plugin");
        ++count[plugin];
        if (one.is_true_at("is_active")) {
            active[plugin] = one.number_at("generation").value_or(0);
        }
    }
    std::vector<std::string> exchanged;
    for (const auto& [plugin, generation] : active) {
        if (count[plugin] > 1) {
            exchanged.push_back(fmt::format("{} is at generation {:.0f}", plugin, generation));
        }
    }
    return exchanged.empty() ? fmt::format("{}, none exchanged", count.size())
                             : fmt::format("{}; {}", count.size(), join(exchanged, ", "));
}

// Formats a status for a person, in at most ten lines: state and place, time left, loss, learning
// rates, the last and best measurements, memory, exchanged plugins. Missing values are omitted.
std::string status_text(const Value& status) {
    const auto memory = status.number_at("memory_bytes");
    // Before the first episode of this process there is no last loss.
    const bool has_loss = status.number_at("episodes_per_second").value_or(0) > 0;
    return line(status.text_at("state"), place(status)) + line("result", result(status)) +
           line("time", time_left(status)) +
           (has_loss ? table_line("loss", status, "losses") : "") +
           table_line("rate", status, "learning_rates") +
           line("last", measured(status, run::kLastMeasured)) +
           line("best", measured(status, run::kBestMeasured)) +
           line("memory", memory ? fmt::format("{:.0f} MiB", *memory / kMiB) : "") +
           line("plugins", generations(status));
}

// Returns the last status of a run that has no process any more, in the form in which a running
// training replies, with `reason` and `exit_code`; nullopt if it may still be running.
std::optional<Value> finished_status(const std::filesystem::path& folder) {
    constexpr std::array<std::string_view, 4> kFinished = {"done", "stopped", "failed", "died"};
    const run::Run run = run::read_run(folder, run::this_machine());
    if (std::ranges::find(kFinished, run.state) == kFinished.end()) {
        return std::nullopt;
    }
    Value table = Value::table({{"episode", run.episode}, {"epoch", run.epoch}});
    if (run.seconds) {
        table.set("seconds", *run.seconds);
    }
    if (run.last) {
        table.set(run::kLastMeasured, run::value_of(*run.last));
    }
    if (run.best) {
        Value best = run::value_of(*run.best);
        if (run::unsaved_best_epoch(run)) {
            best.set(kIsSaved, false);
        }
        table.set(run::kBestMeasured, std::move(best));
    }
    table.set("state", run.state);
    if (!run.reason.empty()) {
        table.set("reason", run.reason);
    }
    if (run.exit_code) {
        table.set("exit_code", *run.exit_code);
    }
    return table;
}

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
