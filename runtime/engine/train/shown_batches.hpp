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

// [main] The session and the source must outlive it. See TrainingSession::shown_batches().
class ShownBatches {
public:
    // Without sinks, in all processes, nothing is shown. `epoch`: the one that a validation ends;
    // none for another pass.
    ShownBatches(TrainingSession& session, const BatchSource& source, Sinks* sinks,
                 std::optional<std::uint64_t> epoch);
    virtual ~ShownBatches() = default;
    ShownBatches(const ShownBatches&) = delete;
    ShownBatches& operator=(const ShownBatches&) = delete;

    // Shows the batch in the session's frame. Called after each batch of the pass, from 0 on.
    virtual void show(std::uint64_t index);

protected:
    // Adds the values of the components, or only those that see a part of a shared batch or, if
    // `observes`, the whole of it.
    void add_values(SampleNumbers& values, std::uint64_t count,
                    std::optional<bool> observes = std::nullopt) const;

    TrainingSession& session_;
    Sinks* sinks_;  // nullptr: there is nothing to show
    std::string section_;
    std::size_t place_;  // of the task in the plan
    std::optional<std::uint64_t> epoch_;
    std::vector<bool> observing_;  // in several processes, for each node: only the first runs it

private:
    std::vector<double> collect(Instance& node, std::size_t names, std::uint64_t count) const;
};

// Shows batches that several processes share: each has a part.
class GatheredBatches final : public ShownBatches {
public:
    GatheredBatches(TrainingSession& session, const BatchSource& source, Sinks* sinks,
                    std::optional<std::uint64_t> epoch);

    // Called by all processes, also by one without a sample of the batch. Throws RunError if a
    // process is lost.
    void show(std::uint64_t index) override;

private:
    // The values of this process's samples, and what it sends to the first.
    struct OwnPart {
        SampleNumbers values;
        std::vector<at::Tensor> part;
    };

    void agree(std::uint64_t index);
    [[nodiscard]] std::set<int>& left_out() const { return session_.left_out.streams[section_]; }
    [[nodiscard]] OwnPart own_part() const;
    void show_whole(SampleNumbers values, const std::vector<std::vector<at::Tensor>>& parts,
                    std::uint64_t index);
    void leave_out(int stream, const char* reason);

    std::vector<std::vector<int>> streams_;  // that sinks read; each list has one, joined alone
};

}  // namespace ptp::engine
