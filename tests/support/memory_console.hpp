// Where tests print to, and read what was printed.

#pragma once

#include "engine/output/console.hpp"

#include <cstddef>
#include <cstdio>
#include <string>

namespace ptp::test {

// A file without a name.
class MemoryFile {
public:
    MemoryFile() = default;
    ~MemoryFile() { std::fclose(file_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    [[nodiscard]] std::FILE* get() const { return file_; }

    // All that was printed until now.
    [[nodiscard]] std::string printed() const {
        std::fseek(file_, 0, SEEK_END);
        std::string text(static_cast<std::size_t>(std::ftell(file_)), '\0');
        std::rewind(file_);
        text.resize(std::fread(text.data(), 1, text.size(), file_));
        std::fseek(file_, 0, SEEK_END);
        return text;
    }

private:
    std::FILE* file_ = std::tmpfile();
};

// A console that prints to such a file.
class MemoryConsole {
    MemoryFile file_;

public:
    explicit MemoryConsole(engine::ConsoleStyle style = {}) : console(file_.get(), style) {}

    [[nodiscard]] std::string printed() const { return file_.printed(); }

    engine::Console console;
};

}  // namespace ptp::test
