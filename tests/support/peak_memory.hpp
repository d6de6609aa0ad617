// The memory that a program of the build needs.
#pragma once

#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace ptp::test {

// Runs a program, which must succeed, and returns the most memory in bytes that it, or a program
// that it has started, had.
inline double peak_memory(const std::string& program, const std::vector<std::string>& arguments) {
    std::vector<std::string> words = {(build_dir() / "bin" / program).string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const std::vector<char*> pointers = pointers_to(words);
    const TempFolder temp;
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const int output = ::open((temp.path() / "said").c_str(), O_WRONLY | O_CREAT, 0600);
        ::dup2(output, STDOUT_FILENO);
        ::dup2(output, STDERR_FILENO);
        ::execv(pointers.front(), pointers.data());
        ::_exit(1);
    }
    int status = 0;
    rusage used{};
    ::wait4(child, &status, 0, &used);
    REQUIRE_MESSAGE(status == 0, temp.read("said"));
    return static_cast<double>(used.ru_maxrss) * 1024;
}

}  // namespace ptp::test
