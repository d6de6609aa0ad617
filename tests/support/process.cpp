#include "support/process.hpp"

#include "support/paths.hpp"
#include "support/temp_folder.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>

namespace ptp::test {

namespace {

constexpr int kCannotStart = 126;

void redirect(int descriptor, const std::filesystem::path& file, int flags) {
    const int opened = ::open(file.c_str(), flags, 0600);
    ::dup2(opened, descriptor);
}

}  // namespace

std::vector<char*> pointers_to(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) {
        pointers.push_back(word.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

ProcessResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                          const std::map<std::string, std::string>& environment,
                          const std::vector<Limit>& limits) {
    const std::string path = (build_dir() / "bin" / program).string();
    if (::access(path.c_str(), X_OK) != 0) {
        throw std::runtime_error(path + " is not built");
    }
    std::vector<std::string> words{path};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const std::vector<char*> pointers = pointers_to(words);

    const TempFolder temp;
    const pid_t child = ::fork();
    if (child < 0) {
        throw std::runtime_error("no process can be made");
    }
    if (child == 0) {
        ::unsetenv("PTP_PLUGIN_PATH");
        // What is remembered of plugins is for this process alone.
        ::setenv("XDG_CACHE_HOME", (temp.path() / "cache").c_str(), 1);
        for (const auto& [name, value] : environment) {
            ::setenv(name.c_str(), value.c_str(), 1);
        }
        redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
        redirect(STDOUT_FILENO, temp.path() / "output", O_WRONLY | O_CREAT);
        redirect(STDERR_FILENO, temp.path() / "errors", O_WRONLY | O_CREAT);
        for (const Limit& limit : limits) {
            const rlimit both = {limit.value, limit.value};
            ::setrlimit(static_cast<__rlimit_resource_t>(limit.resource), &both);
        }
        ::execv(path.c_str(), pointers.data());
        ::_exit(kCannotStart);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ProcessResult result;
    result.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    result.output = temp.read("output");
    result.errors = temp.read("errors");
    return result;
}

ProcessResult ptprun(const std::vector<std::string>& arguments) {
    return run_program("ptprun", arguments, {{"OMP_NUM_THREADS", "1"}});
}

std::string without_excerpts(const std::string& errors) {
    std::istringstream lines(errors);
    std::string kept;
    for (std::string line; std::getline(lines, line);) {
        const bool is_excerpt = line.size() > 6 && line.substr(5, 3) == " | " &&
                                line.find_first_not_of(" 0123456789") == 6;
        kept += is_excerpt ? "" : line + "\n";
    }
    return kept;
}

}  // namespace ptp::test
