// The data of a pickle's instructions: its bytes, and a stack of values with marks in it.

#pragma once

#include "engine/pretrained/pickle.hpp"

#include <cstring>
#include <string_view>
#include <vector>

namespace ptp::engine {

// Throws PickleError instead of reading what does not exist.
class PickleStack {
public:
    static constexpr std::size_t kMaxValues = 4'000'000;  // a tensor takes some twenty

    // The created values are put into `values`.
    PickleStack(std::string_view bytes, std::deque<PickleValue>& values)
        : bytes_(bytes), values_(values) {}

    [[nodiscard]] std::size_t position() const { return position_; }

    std::string_view take_bytes(std::uint64_t count) {
        if (count > bytes_.size() - position_) {
            throw PickleError("ends too early");
        }
        const std::string_view taken = bytes_.substr(position_, count);
        position_ += count;
        return taken;
    }

    template <class T>
    T take() {
        T value;
        std::memcpy(&value, take_bytes(sizeof(T)).data(), sizeof(T));
        return value;
    }

    std::string_view take_line() {
        const std::size_t end = bytes_.find('\n', position_);
        if (end == std::string_view::npos) {
            throw PickleError("ends too early");
        }
        const std::string_view line = take_bytes(end - position_);
        ++position_;
        return line;
    }

    PickleValue& push(PickleKind kind) {
        if (values_.size() == kMaxValues) {
            throw PickleError("describes more values than weights need");
        }
        PickleValue& value = values_.emplace_back();
        value.kind = kind;
        stack_.push_back(&value);
        return value;
    }

    PickleValue* pop() {
        check_height(1);
        PickleValue* value = stack_.back();
        stack_.pop_back();
        return value;
    }

    [[nodiscard]] PickleValue& top() const {
        check_height(1);
        return *stack_.back();
    }

    std::vector<const PickleValue*> pop_many(std::size_t count) {
        check_height(count);
        const auto first = stack_.end() - static_cast<std::ptrdiff_t>(count);
        std::vector<const PickleValue*> values(first, stack_.end());
        stack_.erase(first, stack_.end());
        return values;
    }

    std::vector<const PickleValue*> pop_to_mark() {
        if (marks_.empty()) {
            throw PickleError("takes a value where there is none");
        }
        std::vector<const PickleValue*> values = pop_many(stack_.size() - marks_.back());
        marks_.pop_back();
        return values;
    }

    void mark() { marks_.push_back(stack_.size()); }

    void push_again(PickleValue* value) { stack_.push_back(value); }

    [[nodiscard]] const std::vector<PickleValue*>& values() const { return stack_; }

private:
    void check_height(std::size_t count) const {
        if (stack_.size() - (marks_.empty() ? 0 : marks_.back()) < count) {
            throw PickleError("takes a value where there is none");
        }
    }

    std::string_view bytes_;
    std::deque<PickleValue>& values_;
    std::size_t position_ = 0;
    std::vector<PickleValue*> stack_;
    std::vector<std::size_t> marks_;  // heights of the stack
};

}  // namespace ptp::engine
