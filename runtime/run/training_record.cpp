// Reads and writes training.toml.

#include "run/training_record.hpp"

#include "base/output_file.hpp"
#include "run/format.hpp"
#include "run/keys.hpp"
#include "run/paths.hpp"

namespace ptp::run {

namespace {

constexpr const char* kSeconds = "seconds";

std::vector<Key> training_keys(TrainerRecord& record) {
    return {{"status", &record.status},
            {"epoch", &record.epoch},
            {"batches_done", &record.batches_done},
            {"episodes_done", &record.episodes_done},
            {"partly_validated", &record.partly_validated},
            {"best_saved", &record.best_saved},
            {"journal", &record.journal}};
}

// In this file, epochs of measurements count from 0.
Value value_from_0(Measurement measurement) {
    measurement.epoch -= measurement.set.empty() ? 0 : 1;
    return value_of(measurement);
}

Measurement measurement_from_0(const Value& part, const char* key) {
    Measurement measurement = measurement_from(value_in(part, key, ValueType::kTable));
    measurement.epoch += measurement.set.empty() ? 0 : 1;
    return measurement;
}

}  // namespace

Value value_of(const TrainerRecord& record) {
    TrainerRecord copy = record;
    Value table = write_keys(training_keys(copy));
    table.set(kLastMeasured, value_from_0(record.last));
    table.set(kBestMeasured, value_from_0(record.best));
    if (record.seconds) {
        table.set(kSeconds, *record.seconds);
    }
    return table;
}

TrainerRecord trainer_record_from(const Value& part) {
    TrainerRecord record;
    require_keys(part, training_keys(record));
    record.last = measurement_from_0(part, kLastMeasured);
    record.best = measurement_from_0(part, kBestMeasured);
    if (part.find(kSeconds) != nullptr) {
        record.seconds = real_in(part, kSeconds);
    }
    return record;
}

Value read_training(const std::filesystem::path& checkpoint) {
    const std::filesystem::path file = checkpoint / kTrainingFile;
    return toml_table_from(read_text(file), file, kTrainingFormat);
}

void write_training(const std::filesystem::path& checkpoint, const Value& parts) {
    write_toml_table(checkpoint / kTrainingFile, kTrainingFormat, parts);
}

}  // namespace ptp::run
