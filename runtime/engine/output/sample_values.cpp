// Collects the values of each sample during a pass, and writes them when the pass is whole.

#include "engine/output/sample_values.hpp"

#include "base/error.hpp"
#include "engine/checkpoint/safetensors.hpp"
#include "run/paths.hpp"

#include <ATen/ops/tensor.h>
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

namespace ptp::engine {

namespace {

constexpr const char* kEnding = ".safetensors";

std::string file_name(std::string_view set, std::uint64_t episode) {
    return fmt::format("{}_{:06}{}", set, episode, kEnding);
}

// Returns the episode in the name of a file; nullopt for a file with another name.
std::optional<std::uint64_t> episode_of(const std::filesystem::path& path) {
    const std::string stem = path.stem();
    const std::size_t digits = stem.rfind('_') + 1;
    std::uint64_t episode = 0;
    const char* const end = stem.data() + stem.size();
    const auto read = std::from_chars(stem.data() + digits, end, episode);
    return path.extension() == kEnding && digits != 0 && read.ec == std::errc() && read.ptr == end
               ? std::optional(episode)
               : std::nullopt;
}

}  // namespace

SampleValues::SampleValues(std::filesystem::path folder, const experiment::SampleValues& settings)
    : folder_(std::move(folder)),
      every_epochs_(static_cast<std::uint64_t>(settings.every_epochs)) {}

void SampleValues::begin(const RunInfo& facts) {
    plan_ = &facts.plan;
    std::filesystem::create_directories(folder_);
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
        const auto episode = episode_of(entry.path());
        if (episode && *episode >= facts.first_episode) {
            std::filesystem::remove(entry.path());
        }
    }
}

bool SampleValues::takes_batches(std::string_view section, std::uint64_t epoch) const {
    return section.starts_with("test") || (epoch + 1) % every_epochs_ == 0;
}

void SampleValues::evaluated(const SetBatch& batch) {
    const BatchSamples& samples = batch.frame.samples();
    if (samples.share.count != samples.share.whole) {
        throw RunError(kTrainingError,
                       "each of several processes sees only its part of a batch; values of samples "
                       "are recorded by a training in one process");
    }
    auto pass = passes_.find(batch.section);
    if (pass == passes_.end() || batch.index == 0) {  // an interrupted pass begins again
        pass = passes_.insert_or_assign(std::string(batch.section), Pass{}).first;
    }
    std::vector<std::int64_t>& indices = pass->second.indices;
    const auto count = static_cast<std::size_t>(samples.indices.numel());
    const auto* const first = samples.indices.data_ptr<std::int64_t>();
    indices.insert(indices.end(), first, first + count);
    const auto task = std::ranges::find(plan_->tasks, batch.section, &pipeline::Node::section);
    const auto place = static_cast<std::size_t>(task - plan_->tasks.begin());
    for (const std::shared_ptr<Instance>& node : batch.components.nodes) {
        const std::vector<std::string> names = node->sample_value_names();
        if (names.empty() || !node->node().runs_on(place)) {
            continue;
        }
        const std::vector<double> collected = node->collect_sample_values(count);
        for (std::size_t i = 0; i < names.size(); ++i) {
            auto& values = pass->second.values[fmt::format("{}.{}", node->node().name, names[i])];
            const auto row = collected.begin() + static_cast<std::ptrdiff_t>(i * count);
            values.insert(values.end(), row, row + static_cast<std::ptrdiff_t>(count));
        }
    }
}

void SampleValues::set(const SetRow& row) {
    const auto found = passes_.find(row.set);
    if (found == passes_.end()) {  // not recorded, or of training
        return;
    }
    const Pass pass = std::move(found->second);
    passes_.erase(found);
    TensorsByName tensors = {{"index", at::tensor(pass.indices, at::kLong)}};
    for (const auto& [name, values] : pass.values) {
        tensors.emplace_back(name, at::tensor(values, at::kFloat));
    }
    const std::filesystem::path path = folder_ / file_name(row.set, row.position.at.episode);
    std::filesystem::path part = path;
    part += ".part";
    std::filesystem::remove(part);
    write_safetensors(part, tensors,
                      {{"format", "1"},
                       {"section", std::string(row.set)},
                       {"episode", std::to_string(row.position.at.episode)},
                       {"epoch", std::to_string(row.position.at.epoch + 1)}});
    std::filesystem::rename(part, path);
}

std::unique_ptr<Sink> make_sink(const experiment::SampleValues& options,
                                const std::filesystem::path& run_folder) {
    return std::make_unique<SampleValues>(run_folder / run::kSampleValuesFolder, options);
}

}  // namespace ptp::engine
