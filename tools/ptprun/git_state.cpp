#include "git_state.hpp"

#include "plugin/search_path.hpp"

#include <fmt/core.h>
#include <sys/wait.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <boost/process/async_pipe.hpp>
#include <boost/process/child.hpp>
#include <boost/process/io.hpp>

#include <chrono>
#include <exception>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>

namespace ptp::ptprun {

namespace {

namespace asio = boost::asio;
namespace process = boost::process;
namespace fs = std::filesystem;

constexpr std::chrono::seconds kTimeLimit(2);
constexpr std::size_t kMaxOutput = std::size_t{1} << 20U;

struct Answer {
    std::string output;   // what was printed until then
    std::string problem;  // why it was not started, or did not end by itself with 0; "" if it did
};

// Starts exactly this file, with nothing to read.
// Throws std::exception where the process has no file descriptor left.
Answer ask(const fs::path& program, const std::string& name, const std::string& argument) {
    asio::io_context context;
    process::async_pipe pipe(context);
    std::error_code failure;
    process::child child(program.string(), argument,
                         process::std_in<process::null, process::std_out> pipe,
                         process::std_err > process::null, failure);
    if (failure) {
        return {"", fmt::format("{} cannot be started: {}", name, failure.message())};
    }
    Answer answer;
    std::optional<boost::system::error_code> end;
    asio::async_read(pipe, asio::dynamic_buffer(answer.output, kMaxOutput + 1),
                     [&](const boost::system::error_code& error, std::size_t) { end = error; });
    context.run_for(kTimeLimit);
    if (!end) {
        answer.problem = fmt::format("no answer within {} s", kTimeLimit.count());
    } else if (!*end) {
        answer.problem = "its answer is too long";
    } else if (*end != asio::error::eof) {
        answer.problem = fmt::format("its answer cannot be read: {}", end->message());
    }
    std::error_code ignored;
    if (!answer.problem.empty()) {
        child.terminate(ignored);
        return answer;
    }
    child.wait(ignored);
    const int status = child.native_exit_code();
    if (WIFSIGNALED(status)) {
        answer.problem = fmt::format("{} was ended by signal {}", name, WTERMSIG(status));
    } else if (WEXITSTATUS(status) != 0) {
        answer.problem = fmt::format("{} has failed ({})", name, WEXITSTATUS(status));
    }
    return answer;
}

Answer ask(const fs::path& program, const std::string& argument) {
    const std::string name = program.filename().string();
    try {
        return ask(program, name, argument);
    } catch (const std::exception& error) {
        return {"", fmt::format("{} cannot be started: {}", name, error.what())};
    }
}

engine::GitState parse_state(const std::string& answer) {
    engine::GitState state;
    std::istringstream lines(answer);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t space = line.find(' ');
        const std::string key = line.substr(0, space);
        const std::string value = space == std::string::npos ? "" : line.substr(space + 1);
        if (key == "commit") {
            state.commit = value;
        } else if (key == "clean" || key == "changed") {
            state.is_clean = key == "clean";
        } else if (key == "problem") {
            state.problem = value;
        }
    }
    return state;
}

}  // namespace

engine::GitState git_state(const std::filesystem::path& file) {
    const std::filesystem::path program =
        plugin::executable_path().parent_path() / PTP_LIBEXEC_FOLDER / "ptp-git-state";
    const std::string folder = std::filesystem::absolute(file).parent_path().string();
    const Answer answer = ask(program, folder);
    engine::GitState state = parse_state(answer.output);
    if (!answer.problem.empty()) {
        state.problem = answer.problem;
    }
    return state;
}

}  // namespace ptp::ptprun
