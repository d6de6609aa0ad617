// A text that a process and those that it forks share: what a child wrote last stays when it
// crashes.

#pragma once

#include <cstddef>
#include <string>

namespace ptp::engine {

class SharedText {
public:
    // Empty. Throws std::system_error.
    SharedText();
    ~SharedText();
    SharedText(const SharedText&) = delete;
    SharedText& operator=(const SharedText&) = delete;

    // Cut off where it is too long. One thread at a time.
    void set(const std::string& text);

    [[nodiscard]] std::string get() const;

private:
    static constexpr std::size_t kSize = 4096;

    char* memory_;
};

}  // namespace ptp::engine
