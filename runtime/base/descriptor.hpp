// An open file, socket or the like, closed at the end of its scope.

#pragma once

#include <unistd.h>

#include <utility>

namespace ptp {

class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() { reset(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        if (this != &other) {
            reset();
            number_ = std::exchange(other.number_, -1);
        }
        return *this;
    }

    // Returns a negative number if there is no descriptor.
    [[nodiscard]] int get() const { return number_; }
    [[nodiscard]] bool is_open() const { return number_ >= 0; }

    // Passes the descriptor to the caller, who closes it.
    [[nodiscard]] int release() { return std::exchange(number_, -1); }

private:
    void reset() {
        if (number_ >= 0) {
            ::close(number_);
        }
    }

    int number_ = -1;
};

}  // namespace ptp
