// What a stream has for one sample, as text.
#pragma once

#include <ptp/values.hpp>

#include <cstdint>
#include <string>
#include <string_view>

// The tensors of a stream on the CPU; other streams as they are. Made once for a batch, whose
// value must outlive it.
class BatchText {
public:
    BatchText(const ptp::Value& value, uint64_t batch_size);

    // As JSON: a number, a list of numbers, lists of these; a text, a list of texts. Numbers have
    // as many digits as they need to be read back to the same bits; nan and infinities are texts. A
    // stream that has no value for each sample has the same for all, and one that is missing null.
    [[nodiscard]] std::string json(uint64_t sample) const;

    // For a cell of a table: a text as it is, nothing for what is missing, all else as in JSON.
    [[nodiscard]] std::string plain(uint64_t sample) const;

private:
    const ptp::Value& value_;
    at::Tensor tensor_;
    bool has_samples_ = true;
    bool is_missing_ = false;
};

std::string json_text(std::string_view text);
