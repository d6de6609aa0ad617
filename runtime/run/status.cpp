// Reads and writes status.json, also in pieces for the handler of a crash.

#include "run/status.hpp"

#include "base/output_file.hpp"
#include "run/format.hpp"
#include "run/keys.hpp"

namespace ptp::run {

namespace {

constexpr const char* kEpisode = "episode";
constexpr const char* kPid = "pid";

std::vector<Key> end_keys(Status& status) {
    return {{"state", &status.state},
            {"reason", TextOrNull{&status.reason}},
            {"exit_code", &status.exit_code}};
}

std::vector<Key> progress_keys(Status& status) {
    return {{kEpisode, &status.episode}, {"epoch", &status.epoch}, {"seconds", &status.seconds}};
}

std::vector<Key> time_keys(Status& status) {
    return {{"began", &status.began}, {"ended", TextOrNull{&status.ended}}};
}

std::vector<Key> process_keys(ProcessNote& process) {
    return {{kPid, &process.pid},
            {"host", &process.host},
            {"boot", &process.boot},
            {"process_began", &process.began}};
}

// Adds all keys except the format and the end of the run.
void add_rest(Value& table, Status& status) {
    add_keys(table, progress_keys(status));
    for (const auto& [key, measured] :
         {std::pair(kLastMeasured, &status.last), std::pair(kBestMeasured, &status.best)}) {
        table.set(key, *measured ? value_of(**measured) : null_value());
    }
    add_keys(table, time_keys(status));
    ProcessNote process = status.process.value_or(ProcessNote());
    add_keys(table, process_keys(process));
}

bool has_integer(const Value& table, const char* key) {
    const Value* value = table.find(key);
    return value != nullptr && value->is_integer();
}

// Returns a measurement; format 1 counted the epochs of measurements from 0.
std::optional<Measurement> measured(const Value& table, const char* key, std::int64_t format) {
    auto measurement = measurement_in(table, key);
    if (measurement && format == 1) {
        ++measurement->epoch;
    }
    return measurement;
}

}  // namespace

Status status_from(const std::string& text, const std::filesystem::path& file) {
    const Value table = read_json_table(text, file, kStatusFormat);
    const std::int64_t format = format_in(table, file, kStatusFormat);
    Status status;
    read_keys(table, end_keys(status));
    read_keys(table, progress_keys(status));
    read_keys(table, time_keys(status));
    status.last = measured(table, kLastMeasured, format);
    status.best = measured(table, kBestMeasured, format);
    ProcessNote process{.pid = -1, .host = "", .boot = "", .began = {}};
    read_keys(table, process_keys(process));
    if (has_integer(table, kPid)) {
        status.process = std::move(process);
    }
    status.is_whole = !status.state.empty() && has_integer(table, kEpisode) && status.episode >= 0;
    return status;
}

Status read_status(const std::filesystem::path& file) {
    return status_from(read_text(file, kMaxTableBytes), file);
}

void write_status(const std::filesystem::path& file, const Status& status) {
    Status copy = status;
    Value table = Value::table({{kFormatKey, kStatusFormat}});
    add_keys(table, end_keys(copy));
    add_rest(table, copy);
    replace_file(file, json_text(table));
}

std::string crash_rest(const Status& status) {
    Status copy = status;
    Value table;
    add_rest(table, copy);
    return "," + json_text(table).substr(1);
}

}  // namespace ptp::run
