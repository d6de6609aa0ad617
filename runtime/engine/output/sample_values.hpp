// The values of losses and statistics for each sample, of each pass over a validation or test set.

#pragma once

#include "engine/output/numbered_files.hpp"
#include "engine/output/sample_examples.hpp"
#include "engine/output/sinks.hpp"
#include "experiment/records.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::engine {

// Writes samples/SET_EPISODE.safetensors for each pass over a whole set: `index` [N] of I64, the
// numbers of the samples in their task, which are the same in all epochs; for each value
// COMPONENT.NAME [N] of F32, in the same order; what losses compared and the streams that are asked
// for, as stream/NAME; and examples.
// A file is complete or does not exist. docs/records.md describes it.
class SampleValues : public Sink {
public:
    SampleValues(std::filesystem::path folder, const experiment::SampleValues& settings);

    [[nodiscard]] std::string_view name() const override { return "records.sample_values"; }

    // Removes the files of later episodes, which a resumed run writes again.
    void begin(const RunInfo& facts) override;

    [[nodiscard]] bool reads(std::string_view stream) const override;
    [[nodiscard]] bool takes_batches(std::optional<std::uint64_t> epoch) const override;
    void evaluated(const SetBatch& batch) override;
    [[nodiscard]] std::set<int> batch_streams(const SetBatch& batch) override;
    void set(const SetRow& row) override;
    [[nodiscard]] Value save() const override { return files_.save(); }
    void restore(const Value& saved) override { files_.restore(saved); }

private:
    // A loss with the streams that it compares.
    struct Judged {
        const pipeline::Node* loss = nullptr;
        int targets = -1;
        int predictions = -1;
        bool is_classes = false;  // a class for each sample, and a score for each class
    };

    // The values of a pass that is not finished.
    struct Pass {
        std::vector<std::int64_t> indices = {};
        std::map<std::string, std::vector<float>> values = {};        // by COMPONENT.NAME
        std::vector<Judged> judged = {};                              // found in the first batch
        std::map<std::string, std::vector<at::Tensor>> streams = {};  // and those asked for
        std::map<std::string, std::int64_t> left_out = {};  // streams, with their numbers a sample
        std::unique_ptr<Examples> examples = {};
    };

    void find_judged(Pass& pass, const SetBatch& batch, std::size_t place) const;
    static void drop_missing(Pass& pass, const SetBatch& batch);
    // Returns the streams of the batch that are recorded. Logs those asked for that cannot be.
    [[nodiscard]] std::set<int> streams_of(const Pass& pass, const SetBatch& batch,
                                           std::size_t place);
    [[nodiscard]] std::size_t place_of(const SetBatch& batch) const;
    // Logs, once, that a stream that is asked for is left out of a section's files.
    void note_left_out(const std::string& stream, std::string_view section, const char* reason);
    [[nodiscard]] std::map<std::string, std::string> metadata_of(const Pass& pass,
                                                                 const SetRow& row) const;

    NumberedFiles files_;
    experiment::SampleValues settings_;
    const pipeline::Plan* plan_ = nullptr;
    const Globals* globals_ = nullptr;
    spdlog::logger* log_ = nullptr;                             // (optional)
    std::map<std::string, Pass, std::less<>> passes_;           // by section
    std::set<std::pair<std::string, std::string>> noted_ = {};  // sections and streams
};

// Makes the sink of the run with this folder.
std::unique_ptr<Sink> make_sink(const experiment::SampleValues& options,
                                const std::filesystem::path& run_folder);

}  // namespace ptp::engine
