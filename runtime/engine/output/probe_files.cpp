// Selects the streams of a probe, and writes them.

#include "engine/output/probe_files.hpp"

#include "run/paths.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace ptp::engine {

ProbeFiles::ProbeFiles(std::filesystem::path folder, experiment::Probe settings)
    : files_(std::move(folder)), settings_(std::move(settings)) {}

void ProbeFiles::begin(const RunInfo& facts) {
    plan_ = &facts.plan;
    files_.begin(facts.first_episode);
    for (const pipeline::Node& node : plan_->nodes) {
        for (const int stream : node.written_streams()) {
            const bool is_chosen = settings_.streams.empty()
                                       ? node.component->kind == plugin::Kind::kModel
                                       : reads(plan_->stream(stream).name);
            if (is_chosen) {
                streams_.push_back(stream);
            }
        }
    }
    for (const pipeline::Node& task : plan_->tasks) {
        for (const int stream : task.written_streams()) {
            if (reads(plan_->stream(stream).name) &&
                std::ranges::find(streams_, stream) == streams_.end()) {
                streams_.push_back(stream);
            }
        }
    }
}

bool ProbeFiles::reads(std::string_view stream) const {
    return std::ranges::any_of(settings_.streams,
                               [&](const auto& named) { return named.value == stream; });
}

const experiment::Probe* ProbeFiles::probe(std::uint64_t epoch) const {
    return settings_.is_due(epoch) ? &settings_ : nullptr;
}

void ProbeFiles::probed(Position at, const Frame& frame) {
    TensorsByName tensors = {{"index", frame.samples().indices}};
    for (const int stream : streams_) {
        const Slot& slot = frame[stream];
        if (is_tensor(slot.element) && slot.tensor.defined()) {
            tensors.emplace_back(plan_->stream(stream).name,
                                 slot.tensor.detach().cpu().contiguous());
        }
    }
    files_.write("probe", at.episode, tensors,
                 {{"format", "1"},
                  {"episode", std::to_string(at.episode)},
                  {"epoch", std::to_string(at.epoch + 1)}});
}

std::unique_ptr<Sink> make_sink(const experiment::Probe& options,
                                const std::filesystem::path& run_folder) {
    return std::make_unique<ProbeFiles>(run_folder / run::kProbeFolder, options);
}

}  // namespace ptp::engine
