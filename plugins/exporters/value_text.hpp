// Formats the value of a stream for one sample.
#pragma once

#include <ptp/values.hpp>

#include <cstdint>
#include <string>
#include <string_view>

// A stream's value, with tensors on the CPU. Created once for a batch, whose value must outlive it.
class BatchText {
public:
    BatchText(const ptp::Value& value, uint64_t batch_size);

    // Returns JSON: a number, nested lists of numbers, a text, or a list of texts. Numbers have
    // enough digits to be read back to the same bits; nan and infinities are texts. A stream
    // without a value for each sample has the same for all samples, and a missing stream is null.
    [[nodiscard]] std::string json(uint64_t sample) const;

    // Returns a cell of a table: a text unchanged, nothing for a missing stream, everything else as
    // in JSON.
    [[nodiscard]] std::string plain(uint64_t sample) const;

private:
    const ptp::Value& value_;
    at::Tensor tensor_;
    bool has_samples_ = true;
    bool is_missing_ = false;
};

std::string json_text(std::string_view text);
