// statistics.jsonl: the rows of the statistics, one JSON object on each line.

#pragma once

#include "engine/output/growing_file.hpp"
#include "engine/output/sink.hpp"
#include "experiment/records/json_lines.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace ptp::engine {

class JsonLines : public Sink {
public:
    JsonLines(std::filesystem::path path, const experiment::JsonLines& settings);

    [[nodiscard]] std::string_view name() const override { return "records.json_lines"; }
    void begin(const RunInfo& facts) override;
    void episode(const EpisodeRow& row) override;
    void set(const SetRow& row) override;
    void sync() override;
    [[nodiscard]] GrowingFile* file() override { return file_ ? &*file_ : nullptr; }
    [[nodiscard]] Value save() const override;
    void restore(const Value& saved) override;

private:
    void add(std::string text);

    std::filesystem::path path_;
    std::uint64_t stride_;
    const std::vector<Column>* columns_ = nullptr;
    std::uint64_t first_epoch_ = 1;
    std::string restored_hash_;
    std::uint64_t restored_size_ = 0;
    std::optional<GrowingFile> file_;
};

// Makes the sink of the run with this folder.
std::unique_ptr<Sink> make_sink(const experiment::JsonLines& options,
                                const std::filesystem::path& run_folder);

}  // namespace ptp::engine
