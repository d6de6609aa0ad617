// Reads and writes run.json.

#include "run/record.hpp"

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "run/keys.hpp"

#include <fmt/core.h>

#include <array>

namespace ptp::run {

namespace {

constexpr const char* kUnknown = "unknown";

struct RecordPart {
    const char* key;
    Value Record::*member;
    ValueType type;
    bool is_needed;
};

constexpr std::array kParts = {RecordPart{"plugins", &Record::plugins, ValueType::kList, true},
                               RecordPart{"git", &Record::git, ValueType::kTable, false},
                               RecordPart{"machine", &Record::machine, ValueType::kTable, true},
                               RecordPart{"lineage", &Record::lineage, ValueType::kTable, false},
                               RecordPart{"processes", &Record::processes, ValueType::kList, true}};

std::vector<Key> process_record_keys(Record& record) {
    return {{"experiment", &record.experiment},
            {"experiment_sha256", &record.experiment_sha256},
            {"seed", &record.seed},
            {"device", &record.device},
            {"trial", TextOrNull{&record.trial}}};
}

}  // namespace

Value value_of(const GitState& git) {
    if (git.commit.empty() && git.problem.empty()) {
        return {};
    }
    Value table = Value::table({{"commit", git.commit.empty() ? kUnknown : git.commit},
                                {"clean", git.is_clean ? Value(*git.is_clean) : Value(kUnknown)}});
    if (!git.problem.empty()) {
        table.set("problem", git.problem);
    }
    return table;
}

Value value_of(const ProcessRecord& process) {
    Value table = Value::table(
        {{"began", process.began},
         {"command_line", Value::list({process.command_line.begin(), process.command_line.end()})},
         {"pid", process.pid},
         {"host", process.host},
         {"kernel", process.kernel},
         {"device", process.device}});
    if (process.ranks > 1 || process.restart > 0) {
        table.set("ranks", process.ranks);
        table.set("launcher", process.launcher);
        table.set("restart", process.restart);
        table.set("restart_reason",
                  process.restart_reason.empty() ? null_value() : Value(process.restart_reason));
    }
    return table;
}

Record record_from(const std::string& text, const std::filesystem::path& file) {
    const Value table = read_json_table(text, file, kRecordFormat);
    Record record;
    record.format = format_in(table, file, kRecordFormat);
    read_keys(table, process_record_keys(record));
    record.is_whole = !record.experiment_sha256.empty();
    for (const RecordPart& part : kParts) {
        const Value* value = table.find(part.key);
        if (value != nullptr && value->type() == part.type) {
            record.*part.member = *value;
        } else if (part.is_needed) {
            record.is_whole = false;
        }
    }
    return record;
}

Record read_record(const std::filesystem::path& file) {
    constexpr const char* kNeeded =
        "no other file records with which plugins and which experiment the run began";
    std::string text;
    try {
        text = read_text(file);
    } catch (const RunError& error) {
        throw RunError(kDataError, fmt::format("{}; {}", error.what(), kNeeded));
    }
    std::optional<Record> record;
    try {
        record = record_from(text, file);
    } catch (const NewerFormat&) {
        throw;
    } catch (const RunError&) {  // not a JSON object
        record.reset();
    }
    if (!record || !record->is_whole) {
        throw RunError(kDataError,
                       fmt::format("{} is not the record of a run; {}", file.string(), kNeeded));
    }
    return *record;
}

void write_record(const std::filesystem::path& file, const Record& record) {
    Record copy = record;
    Value table;
    if (record.format > 1) {
        table.set(kFormatKey, record.format);
    }
    add_keys(table, process_record_keys(copy));
    for (const RecordPart& part : kParts) {
        const Value& value = record.*part.member;
        const bool is_absent = !part.is_needed && value.members().empty();
        table.set(part.key, is_absent ? null_value() : value);
    }
    replace_file(file, json_text(table));
}

}  // namespace ptp::run
