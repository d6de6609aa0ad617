// The report of a replay: what it has compared, the differences, and the times of the calls.

#pragma once

#include "base/value.hpp"
#include "engine/solo_requests.hpp"
#include "solo/child.hpp"
#include "solo/lone_component.hpp"

#include <ATen/core/Tensor.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ptp::solo {

using engine::ReplayTolerance;

// The difference of two values.
struct ValueDifference {
    std::vector<std::int64_t> element = {};  // the first one; empty: a different shape or type
    std::string recorded;
    std::string now;
    std::uint64_t differing = 1;  // elements
    std::uint64_t elements = 1;   // in total
    double largest = 0;           // maximum difference of two numbers
};

// Without a tolerance, the bits must be equal; with one, floating-point numbers are equal if |now -
// recorded| <= absolute + relative |recorded|, and NaN equals itself. Either may be undefined.
std::optional<ValueDifference> difference_of(const at::Tensor& recorded, const at::Tensor& now,
                                             const std::optional<ReplayTolerance>& tolerance);

// Compares two batches of texts.
std::optional<ValueDifference> difference_of(const std::vector<std::string>& recorded,
                                             const std::vector<std::string>& now);

class ReplayReport {
public:
    // `place` gets each call before it is made.
    ReplayReport(const std::optional<ReplayTolerance>& tolerance, SharedText& place)
        : tolerance_(tolerance), place_(place) {}

    // Begins a repetition, from 1, and a call: "episode 5 (...)". What follows belongs to both.
    void begin_repeat(std::int64_t repeat) { repeat_ = repeat; }
    void begin_call(const std::string& where) {
        where_ = where;
        place_.set(where);
    }
    [[nodiscard]] const std::string& where() const { return where_; }

    // Compares two values; `what` is "the stream 'logits'".
    void compare(const std::string& what, const at::Tensor& recorded, const at::Tensor& now);
    void compare(const std::string& what, const std::vector<std::string>& recorded,
                 const std::vector<std::string>& now);
    void compare(const std::string& what, const Value& recorded, const Value& now);
    // Adds a value that only one of them has.
    void differ(const std::string& what, ValueDifference difference);

    // Adds the duration of a call of this name.
    void add_time(const std::string& call, std::chrono::duration<double> time);

    [[nodiscard]] Value value() const;

private:
    void add(const std::string& what, const std::optional<ValueDifference>& difference);

    const std::optional<ReplayTolerance> tolerance_;
    SharedText& place_;
    std::int64_t repeat_ = 1;
    std::string where_;
    std::uint64_t compared_ = 0;
    std::uint64_t differing_ = 0;
    std::vector<Value> differences_;
    std::map<std::string, std::vector<double>> seconds_;
};

}  // namespace ptp::solo
