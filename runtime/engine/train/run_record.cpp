#include "engine/train/run_record.hpp"

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"
#include "engine/train/machine_record.hpp"
#include "engine/train/stages.hpp"

#include <fmt/core.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <sstream>
#include <utility>

namespace ptp::engine {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 2;  // 2: epochs count from 1

Json process(const RunRequest& request) {
    utsname system{};
    uname(&system);
    return {{"began", now_text()},
            {"command_line", request.command_line},
            {"pid", getpid()},
            {"host", system.nodename},
            {"kernel", fmt::format("{} {}", system.sysname, system.release)}};
}

Json plugins(const Value& list) {
    Json made = Json::array();
    for (const Value& plugin : list.items()) {
        Json entry = Json::object();
        for (const Member& member : plugin.members()) {
            entry[member.key] = member.value.as_string();
        }
        made.push_back(std::move(entry));
    }
    return made;
}

// null outside of a repository. What could not be read is "unknown", and the problem says why.
Json git(const GitState& state) {
    constexpr const char* kUnknown = "unknown";
    if (state.commit.empty() && state.problem.empty()) {
        return nullptr;
    }
    Json made = {{"commit", state.commit.empty() ? kUnknown : state.commit},
                 {"clean", state.is_clean ? Json(*state.is_clean) : Json(kUnknown)}};
    if (!state.problem.empty()) {
        made["problem"] = state.problem;
    }
    return made;
}

void write(const std::filesystem::path& file, const Json& content) {
    replace_file(file, content.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

// What is nested deeper was not written by this program, and could exhaust the stack.
Json read_record(const std::filesystem::path& file) {
    constexpr const char* kNeeded =
        "nothing else tells with which plugins and which experiment the run began";
    constexpr int kMaxLevels = 16;
    const auto is_shallow = [](int depth, Json::parse_event_t, const Json&) {
        return depth <= kMaxLevels;
    };
    std::string text;
    try {
        text = read_text(file);
    } catch (const RunError& error) {
        throw RunError(kDataError, fmt::format("{}; {}", error.what(), kNeeded));
    }
    const Json record = Json::parse(text, is_shallow, false);
    const auto is = [&record](const char* key, Json::value_t wanted) {
        return record.contains(key) && record[key].type() == wanted;
    };
    using Type = Json::value_t;
    if (!record.is_object() || !is("plugins", Type::array) || !is("machine", Type::object) ||
        !is("processes", Type::array) || !is("experiment_sha256", Type::string)) {
        throw RunError(kDataError,
                       fmt::format("{} is not the record of a run; {}", file.string(), kNeeded));
    }
    if (is("format", Type::number_unsigned) && record["format"].get<std::uint64_t>() > kFormat) {
        throw RunError(
            kConfigurationError,
            fmt::format(
                "{} has format {}, this ptp reads formats up to {}; go on with the ptp that "
                "wrote it",
                file.string(), record["format"].get<std::uint64_t>(), kFormat));
    }
    return record;
}

}  // namespace

void write_run_record(const std::filesystem::path& file, const RunRecord& record) {
    Json content = {{"format", kFormat},
                    {"experiment", record.experiment},
                    {"experiment_sha256", record.experiment_hash},
                    {"seed", record.seed},
                    {"device", record.device.str()},
                    {"plugins", plugins(record.plugins)},
                    {"trial", nullptr},
                    {"git", git(record.request.git)},
                    {"machine", machine_record(record.device)},
                    {"processes", Json::array({process(record.request)})}};
    if (!record.request.trial_kind.empty()) {
        content["trial"] = record.request.trial_kind;
    }
    write(file, content);
}

std::vector<std::string> extend_run_record(const std::filesystem::path& file,
                                           const RunRecord& record) {
    const Json old = read_record(file);
    if (old["experiment_sha256"] != record.experiment_hash) {
        throw RunError(
            kConfigurationError,
            fmt::format("{} has changed since the run began; a run continues as it began",
                        first_experiment(file.parent_path()).string()));
    }
    std::vector<std::string> differences =
        machine_differences(old["machine"], machine_record(record.device));
    Json content = old;
    content["processes"].push_back(process(record.request));
    write(file, content);
    return differences;
}

std::vector<std::string> differences_from(const std::filesystem::path& file, at::Device device) {
    return machine_differences(read_record(file)["machine"], machine_record(device));
}

std::uint64_t first_epoch(const std::filesystem::path& file) {
    return read_record(file).contains("format") ? 1 : 0;
}

void refuse_unreadable(const std::string& experiment) {
    std::istringstream lines(experiment);
    for (std::string line; std::getline(lines, line);) {
        if (!is_utf8(line)) {
            throw RunError(kConfigurationError,
                           fmt::format("the experiment cannot be recorded: not UTF-8 text: {}\n"
                                       "    fix: rename the folder or the file that is named there",
                                       line));
        }
    }
}

}  // namespace ptp::engine
