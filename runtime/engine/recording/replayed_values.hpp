// The values of one recorded call, which are passed to a component and compared with its results.

#pragma once

#include "base/value.hpp"
#include "engine/component/slot.hpp"
#include "engine/recording/recording_file.hpp"
#include "engine/recording/replay_report.hpp"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ptp::engine {

// The recording must outlive it. Names are those within the call: "input/images".
class RecordedValues {
public:
    RecordedValues(const Recording& recording, std::size_t number)
        : recording_(recording), prefix_(std::to_string(number) + "/") {
        facts_ = &recording.calls()[number];
    }

    [[nodiscard]] const Value& facts() const { return *facts_; }
    [[nodiscard]] const at::Tensor* tensor(const std::string& name) const {
        return recording_.tensor(prefix_ + name);
    }

    // Returns all whose names begin with "given/", without this prefix.
    [[nodiscard]] TensorsByName tensors(const std::string& group) const;

    // Return numbers of the record. Throw RunError with kDataError.
    [[nodiscard]] std::int64_t integer(const char* name) const;
    [[nodiscard]] bool is_set(const char* name) const;
    [[nodiscard]] std::vector<std::uint64_t> seeds() const;
    [[nodiscard]] std::vector<std::string> texts(const char* name) const;

    // Puts a value into a slot on a device, with its strides and whether gradients flow to it. Does
    // nothing if it was undefined. Throws RunError with kDataError.
    void fill(const std::string& name, at::Device device, Slot& slot) const;

    // Returns whether there was a value of this name.
    [[nodiscard]] bool has(const std::string& name, ptp_element element) const;
    void compare(const std::string& name, const std::string& what, const Slot& slot,
                 ReplayReport& report) const;

private:
    [[nodiscard]] bool is_listed(const char* list, const std::string& name) const;
    [[nodiscard]] std::int64_t count_of(const std::string& name) const;
    [[nodiscard]] at::Tensor filled(const std::string& name, at::Device device) const;
    [[nodiscard]] const at::Tensor& required(const std::string& name, at::ScalarType type) const;
    void fill_text(const std::string& name, Slot& slot) const;

    const Recording& recording_;
    const std::string prefix_;
    const Value* facts_ = nullptr;
};

}  // namespace ptp::engine
