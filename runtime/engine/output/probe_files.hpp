// Files with what the model returns for the same samples, epoch after epoch.

#pragma once

#include "engine/output/numbered_files.hpp"
#include "engine/output/sinks.hpp"
#include "experiment/records.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

namespace ptp::engine {

// Writes probe/probe_EPISODE.safetensors after each n-th epoch: `index` [N] of I64, the numbers of
// the samples in their task; and each stream by its name. A file is complete or does not exist.
class ProbeFiles : public Sink {
public:
    ProbeFiles(std::filesystem::path folder, experiment::Probe settings);

    [[nodiscard]] std::string_view name() const override { return "records.probe"; }

    // Removes the files of later episodes, which a resumed run writes again.
    void begin(const RunInfo& facts) override;

    [[nodiscard]] bool reads(std::string_view stream) const override;
    [[nodiscard]] const experiment::Probe* probe(std::uint64_t epoch) const override;
    void probed(Position at, const Frame& frame) override;
    [[nodiscard]] Value save() const override { return files_.save(); }
    void restore(const Value& saved) override { files_.restore(saved); }

private:
    NumberedFiles files_;
    experiment::Probe settings_;
    const pipeline::Plan* plan_ = nullptr;
    std::vector<int> streams_;
};

// Makes the sink of the run with this folder.
std::unique_ptr<Sink> make_sink(const experiment::Probe& options,
                                const std::filesystem::path& run_folder);

}  // namespace ptp::engine
