// A text shared by a process and its children: the last text of a child remains when it crashes.

#pragma once

#include <cstddef>
#include <string>

namespace ptp::engine {

class SharedText {
public:
    // Constructs an empty text. Throws std::system_error.
    SharedText();
    ~SharedText();
    SharedText(const SharedText&) = delete;
    SharedText& operator=(const SharedText&) = delete;

    // Truncates long texts. One thread at a time.
    void set(const std::string& text);

    [[nodiscard]] std::string get() const;

private:
    static constexpr std::size_t kSize = 4096;

    char* memory_;
};

}  // namespace ptp::engine
