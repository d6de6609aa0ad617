// Starts another program, whose output is read here or goes where this process's does.

#pragma once

#include "base/descriptor.hpp"

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp {

// A program that was started. One that is not waited for is killed.
class StartedProgram {
public:
    // Starts this file, or the program of this name in PATH, with the input, output and errors of
    // this process. Throws std::system_error, as all below.
    static StartedProgram on_terminal(const std::filesystem::path& path,
                                      const std::vector<std::string>& arguments);
    // Starts it with its output for read(), without input; its errors are discarded.
    static StartedProgram for_output(const std::filesystem::path& path,
                                     const std::vector<std::string>& arguments);
    ~StartedProgram();
    StartedProgram(StartedProgram&& other) noexcept;
    StartedProgram(const StartedProgram&) = delete;
    StartedProgram& operator=(const StartedProgram&) = delete;
    StartedProgram& operator=(StartedProgram&&) = delete;

    // Appends the output up to its end. Returns false if it has not ended within the limit, or has
    // more than `most` bytes; without a limit it waits.
    bool read(std::string& output, std::size_t most,
              std::optional<std::chrono::milliseconds> limit = {});

    // Waits for its end. Returns the status of waitpid(). Called once.
    int wait();

private:
    StartedProgram(pid_t process, Descriptor output);

    pid_t process_;  // 0: it was waited for
    Descriptor output_;
};

}  // namespace ptp
