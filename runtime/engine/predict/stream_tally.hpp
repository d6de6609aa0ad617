// Counts and measures the values of a task's streams, batch by batch.

#pragma once

#include "engine/component/slot.hpp"
#include "engine/data_request.hpp"
#include "pipeline/plan.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ptp::engine {

// [any], one thread at a time. Tallies of several batches are merged in the order of the batches,
// so that sums do not depend on the threads.
class StreamTally {
public:
    StreamTally(const pipeline::Stream& stream, const plugin::Port& port);

    // Adds all samples of a batch.
    void add(const Slot& slot, std::uint64_t samples);
    void merge(const StreamTally& later);

    [[nodiscard]] StreamFacts facts() const;

private:
    void add_tensor(const at::Tensor& tensor, std::size_t first_sizes);
    void add_text(const TextBuffer& text, std::uint64_t samples);
    void add_sizes(at::IntArrayRef sizes);
    void count(std::int64_t value);
    void count(const std::string& value, std::uint64_t times);

    StreamFacts facts_;
    ptp_element element_;
    std::vector<std::int64_t> least_sizes_;
    std::vector<std::int64_t> most_sizes_;
    bool has_sizes_ = false;
    std::map<std::int64_t, std::uint64_t> integers_;
    std::map<std::string, std::uint64_t> texts_;
};

// Returns what the stream has for a sample of the batch.
ShownValue shown_value(const Slot& slot, std::uint64_t sample);

// Appends the bytes of a sample of the batch, so that different contents have different bytes.
void append_content(const Slot& slot, std::uint64_t sample, std::string& bytes);

}  // namespace ptp::engine
