// The values of losses and statistics for each sample, of each pass over a validation or test set.

#pragma once

#include "engine/output/sinks.hpp"
#include "experiment/records.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::engine {

// Writes samples/SET_EPISODE.safetensors for each pass over a whole set: `index` [N] of I64, the
// numbers of the samples in their task, which are the same in all epochs; and for each value
// COMPONENT.NAME [N] of F32, in the same order. A file is complete or does not exist.
class SampleValues : public Sink {
public:
    SampleValues(std::filesystem::path folder, const experiment::SampleValues& settings);

    [[nodiscard]] std::string_view name() const override { return "records.sample_values"; }

    // Removes the files of later episodes, which a resumed run writes again.
    void begin(const RunInfo& facts) override;

    [[nodiscard]] bool takes_batches(std::string_view section, std::uint64_t epoch) const override;
    void evaluated(const SetBatch& batch) override;
    void set(const SetRow& row) override;

private:
    // The values of a pass that is not finished.
    struct Pass {
        std::vector<std::int64_t> indices;
        std::map<std::string, std::vector<float>> values;  // by COMPONENT.NAME
    };

    std::filesystem::path folder_;
    std::uint64_t every_epochs_;
    const pipeline::Plan* plan_ = nullptr;
    std::map<std::string, Pass, std::less<>> passes_;  // by section
};

// Makes the sink of the run with this folder.
std::unique_ptr<Sink> make_sink(const experiment::SampleValues& options,
                                const std::filesystem::path& run_folder);

}  // namespace ptp::engine
