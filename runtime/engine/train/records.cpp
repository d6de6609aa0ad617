#include "engine/train/records.hpp"

#include <string>
#include <utility>

namespace ptp::engine {

namespace {

std::vector<std::string> episode_header(const std::vector<Column>& columns) {
    std::vector<std::string> header = {"episode", "epoch"};
    for (const Column& column : columns) {
        if (column.is_shown && !column.is_set_only) {
            header.push_back(column.name);
        }
    }
    return header;
}

std::vector<std::string> set_header(const std::vector<Column>& columns) {
    std::vector<std::string> header = {"episode", "episodes_aggregated", "epoch"};
    for (const Column& column : columns) {
        if (!column.is_shown) {
            continue;
        }
        header.push_back(column.name);
        if (column.has_spread) {
            for (const char* suffix : {"_min", "_max", "_std"}) {
                header.push_back(column.name + suffix);
            }
        }
    }
    return header;
}

}  // namespace

Records::Records(std::filesystem::path folder, const std::vector<Column>& columns)
    : folder_(std::move(folder)), columns_(columns) {}

void Records::episode(Position position, std::span<const double> values) {
    if (!training_) {
        training_.emplace(OutputFile::create(folder_ / "training.csv"), episode_header(columns_));
    }
    training_->add(position.episode);
    training_->add(position.epoch);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (columns_[i].is_shown && !columns_[i].is_set_only) {
            training_->add(values[i]);
        }
    }
    training_->end_row();
}

void Records::training_epoch(const SetPosition& position,
                             const std::vector<Aggregate>& aggregates) {
    add_set(training_epochs_, "training_epochs.csv", position, aggregates);
}

void Records::validation(const SetPosition& position, const std::vector<Aggregate>& aggregates) {
    add_set(validation_, "validation.csv", position, aggregates);
}

void Records::test(const SetPosition& position, const std::vector<Aggregate>& aggregates) {
    add_set(test_, "test.csv", position, aggregates);
}

void Records::sync() {
    for (auto* file : {&training_, &training_epochs_, &validation_, &test_}) {
        if (*file) {
            (*file)->sync();
        }
    }
    sync_folder(folder_);
}

void Records::finish() {
    for (auto* file : {&training_, &training_epochs_, &validation_, &test_}) {
        if (*file) {
            (*file)->finish();
            file->reset();
        }
    }
    sync_folder(folder_);
}

void Records::add_set(std::optional<CsvFile>& file, const char* name, const SetPosition& position,
                      const std::vector<Aggregate>& aggregates) {
    if (!file) {
        file.emplace(OutputFile::create(folder_ / name), set_header(columns_));
    }
    file->add(position.at.episode);
    file->add(position.episodes_aggregated);
    file->add(position.at.epoch);
    for (std::size_t i = 0; i < aggregates.size(); ++i) {
        if (!columns_[i].is_shown) {
            continue;
        }
        file->add(aggregates[i].value);
        if (columns_[i].has_spread) {
            file->add(aggregates[i].minimum);
            file->add(aggregates[i].maximum);
            file->add(aggregates[i].deviation);
        }
    }
    file->end_row();
    file->flush();
}

}  // namespace ptp::engine
