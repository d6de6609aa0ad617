#include "run/read_run.hpp"

#include "base/diagnostics.hpp"
#include "base/input_file.hpp"
#include "base/toml_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

namespace ptp::run {

namespace {

constexpr std::uint64_t kMaxBytes = 16u << 20;
constexpr std::size_t kMaxStatistics = 1000;

void add_problem(std::string& problem, const std::string& more) {
    problem += (problem.empty() ? "" : "; ") + plain(more);
}

std::optional<std::string> read_text(const std::filesystem::path& file, std::string& problem) {
    const std::string name = file.filename().string();
    std::error_code error;
    const auto status = std::filesystem::status(file, error);
    if (status.type() == std::filesystem::file_type::not_found) {
        add_problem(problem, fmt::format("{} is missing", name));
        return std::nullopt;
    }
    try {
        const InputFile input(file);
        if (input.size() <= kMaxBytes) {
            return input.read(0, input.size());
        }
        add_problem(problem, fmt::format("{} is larger than 16 MiB", name));
    } catch (const std::exception&) {
        add_problem(problem, fmt::format("{} cannot be read", name));
    }
    return std::nullopt;
}

constexpr std::int64_t kFormat = 2;  // of status.json; without one epochs count from 0

std::optional<Measurement> measured_at(const Json& status, const char* key) {
    const auto found = status.find(key);
    if (found == status.end() || !found->is_object()) {
        return std::nullopt;
    }
    Measurement measured{.set = text_at(*found, "set"),
                         .episode = integer_at(*found, "episode").value_or(0),
                         .epoch = integer_at(*found, "epoch").value_or(0),
                         .loss = number_at(*found, "loss"),
                         .statistics = {}};
    measured.epoch += status.contains("format") ? 0 : 1;
    const auto statistics = found->find("statistics");
    if (statistics == found->end() || !statistics->is_object()) {
        return measured;
    }
    for (const auto& [name, value] : statistics->items()) {
        if (measured.statistics.size() < kMaxStatistics) {
            measured.statistics.emplace_back(plain(name), number_at(*statistics, name.c_str()));
        }
    }
    return measured;
}

std::optional<ProcessNote> process_in(const Json& status) {
    const auto pid = integer_at(status, "pid");
    if (!pid) {
        return std::nullopt;
    }
    ProcessNote note{
        .pid = *pid, .host = text_at(status, "host"), .boot = text_at(status, "boot"), .began = {}};
    const auto began = integer_at(status, "process_began");
    if (began && *began >= 0) {
        note.began = static_cast<std::uint64_t>(*began);
    }
    return note;
}

void read_status(const Json& status, const Machine& machine, Run& run) {
    run.state = text_at(status, "state");
    run.reason = text_at(status, "reason");
    run.exit_code = integer_at(status, "exit_code");
    run.episode = integer_at(status, "episode").value_or(0);
    run.epoch = integer_at(status, "epoch").value_or(0);
    run.seconds = number_at(status, "seconds");
    run.began = text_at(status, "began");
    run.ended = text_at(status, "ended");
    run.best = measured_at(status, "best");
    run.last = measured_at(status, "last");
    run.process = process_in(status);
    if (const auto format = integer_at(status, "format"); format && *format > kFormat) {
        add_problem(run.problem,
                    fmt::format("status.json has format {}, newer than {}", *format, kFormat));
    }
    const auto& known = states();
    if (std::ranges::find(known, run.state) == known.end()) {
        add_problem(run.problem, fmt::format("status.json has the unknown state '{}'", run.state));
        run.state = "unreadable";
    }
    if (run.state == "running" && run.process && !may_be_alive(*run.process, machine)) {
        run.state = "died";
    }
}

void read_experiment(const std::filesystem::path& file, Run& run) {
    const auto text = read_text(file, run.problem);
    if (!text) {
        return;
    }
    Diagnostics problems;
    auto tree = read_toml(*text, file.filename().string(), problems);
    if (!tree) {
        add_problem(run.problem, problems.sorted().front().text());
        return;
    }
    run.settings = std::move(*tree);
    const Value* name = run.settings.find("name");
    if (name != nullptr && name->is_string()) {
        run.experiment = plain(name->as_string());
    }
}

// Runs without any have no such file.
void read_tags(const std::filesystem::path& folder, Run& run) {
    std::error_code ignored;
    if (!std::filesystem::exists(folder / kTagsFile, ignored)) {
        return;
    }
    const auto tags = read_json(folder / kTagsFile, run.problem);
    if (!tags) {
        return;
    }
    run.note = text_at(*tags, "note");
    const auto list = tags->find("tags");
    if (list != tags->end() && list->is_array()) {
        for (const Json& tag : *list) {
            if (tag.is_string()) {
                run.tags.push_back(plain(tag.get<std::string>()));
            }
        }
    }
}

}  // namespace

std::string text_at(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? plain(found->get<std::string>()) : "";
}

std::optional<std::int64_t> integer_at(const Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_number_integer()) {
        return std::nullopt;
    }
    constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
    if (found->is_number_unsigned() && found->get<std::uint64_t>() > kMax) {
        return std::nullopt;
    }
    return found->get<std::int64_t>();
}

std::optional<double> number_at(const Json& object, const char* key) {
    const auto found = object.find(key);
    const bool is_number = found != object.end() && found->is_number();
    return is_number ? std::optional(found->get<double>()) : std::nullopt;
}

std::optional<Json> read_json(const std::filesystem::path& file, std::string& problem) {
    const auto text = read_text(file, problem);
    if (!text) {
        return std::nullopt;
    }
    Json json = Json::parse(*text, nullptr, false);
    if (json.is_object()) {
        return json;
    }
    add_problem(problem, fmt::format("{} is broken", file.filename().string()));
    return std::nullopt;
}

Run read_run(const std::filesystem::path& folder, const Machine& machine) {
    Run run;
    run.folder = folder;
    if (const auto status = read_json(folder / "status.json", run.problem)) {
        read_status(*status, machine, run);
    } else {
        run.state = "unreadable";
    }
    read_experiment(folder / "experiment.toml", run);
    std::string unsaid;  // whoever compares the record reports what is wrong with it
    if (const auto record = read_json(folder / "run.json", unsaid)) {
        run.trial = text_at(*record, "trial");
    }
    read_tags(folder, run);
    return run;
}

}  // namespace ptp::run
