// Shows sinks the batches of a pass over a set, with the values of each sample. The first of
// several processes shows whole batches, whose parts all processes send to it.

#pragma once

#include "engine/data/batch_source.hpp"
#include "engine/output/sinks.hpp"
#include "engine/train/training_session.hpp"

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ptp::engine {

// [main] The session and the source must outlive it.
class ShownBatches {
public:
    // Without sinks, in all processes, nothing is shown. `epoch`: the one that a validation ends;
    // none for another pass.
    ShownBatches(TrainingSession& session, const BatchSource& source, Sinks* sinks,
                 std::optional<std::uint64_t> epoch);

    // Shows the batch in the session's frame. Called by all processes after each batch of the pass,
    // also by one without a sample of it. Throws RunError if a process is lost.
    void show(std::uint64_t index);

private:
    // The values of this process's samples, and what it sends to the first.
    struct OwnPart {
        SampleNumbers values;
        std::vector<at::Tensor> part;
    };

    // Adds the values of the components, or only those that see a part of a shared batch or, if
    // `observes`, the whole of it.
    void add_values(SampleNumbers& values, std::uint64_t count,
                    std::optional<bool> observes = std::nullopt) const;
    std::vector<double> collect(Instance& node, std::size_t names, std::uint64_t count) const;
    void agree(std::uint64_t index);
    [[nodiscard]] std::set<int>& left_out() const { return session_.left_out.streams[section_]; }
    [[nodiscard]] OwnPart own_part() const;
    void show_whole(SampleNumbers values, const std::vector<std::vector<at::Tensor>>& parts,
                    std::uint64_t index);
    void leave_out(int stream, const char* reason);

    TrainingSession& session_;
    Sinks* sinks_;  // nullptr: there is nothing to show
    std::string section_;
    std::size_t place_;  // of the task in the plan
    std::optional<std::uint64_t> epoch_;
    // The rest is used by several processes alone.
    std::vector<bool> observing_;            // for each node: only the first runs it
    std::vector<std::vector<int>> streams_;  // that sinks read; each list has one, joined alone
};

}  // namespace ptp::engine
