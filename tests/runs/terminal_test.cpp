// What a run writes to a terminal.

#include "runs/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <regex>
#include <string>

namespace terminal_test {

using ptp::test::ExperimentFolder;

namespace {

// What ptprun writes to a terminal of this type while it trains.
std::string shown(const std::string& type, unsigned short columns = 80) {
    const ExperimentFolder folder({.training = "optimizer = { type = \"Adam\", lr = 0.01 }\n"
                                               "terminal_conditions = { epoch_limit = 60 }\n"});
    winsize size{};
    size.ws_col = columns;
    size.ws_row = 24;
    const std::string program = (ptp::test::build_dir() / "bin" / "ptprun").string();
    const std::string experiment = (folder.path() / "experiment.toml").string();
    const std::string run_folder = folder.run_folder("run");
    int screen = -1;
    const pid_t child = forkpty(&screen, nullptr, nullptr, &size);
    if (child == 0) {
        unsetenv("NO_COLOR");
        unsetenv("PTP_PLUGIN_PATH");
        setenv("OMP_NUM_THREADS", "1", 1);
        setenv("TERM", type.c_str(), 1);
        execl(program.c_str(), program.c_str(), experiment.c_str(), "--run-dir", run_folder.c_str(),
              nullptr);
        _exit(126);
    }
    std::string text;
    char buffer[4096];
    for (ssize_t length = 0; (length = read(screen, buffer, sizeof(buffer))) > 0;) {
        text.append(buffer, static_cast<std::size_t>(length));
    }
    close(screen);
    int status = 0;
    waitpid(child, &status, 0);
    REQUIRE(status == 0);
    return text;
}

// The lines that were written over.
std::vector<std::string> live_lines(const std::string& text) {
    const std::string erase = "\r\x1b[K";
    std::vector<std::string> lines;
    for (std::size_t at = text.find(erase); at != std::string::npos; at = text.find(erase, at)) {
        at += erase.size();
        const std::size_t end = text.find_first_of("\r\n", at);
        if (text.compare(std::min(end, text.size()), erase.size(), erase) == 0) {
            lines.push_back(text.substr(at, end - at));
        }
    }
    return lines;
}

}  // namespace

TEST_CASE("terminal: one that knows no escape sequences gets none") {
    const std::string text = shown("dumb");
    CHECK(text.find("validation") != std::string::npos);
    CHECK(text.find('\x1b') == std::string::npos);
}

TEST_CASE("terminal: any other has a live line and colors") {
    const std::string text = shown("xterm");
    CHECK(text.find("\r\x1b[K") != std::string::npos);
    CHECK(text.find("\x1b[1m") != std::string::npos);
}

TEST_CASE("terminal: the live line has a bar, and is never wider than the terminal") {
    for (const unsigned short columns : {40, 80, 120}) {
        CAPTURE(columns);
        const std::vector<std::string> lines = live_lines(shown("xterm", columns));
        REQUIRE(!lines.empty());
        for (const std::string& line : lines) {
            CAPTURE(line);
            CHECK(line.size() < columns);
            CHECK(std::regex_search(line,
                                    std::regex("^epoch [0-9]+/60  (training|validation)|^test")));
            CHECK((columns == 40 ||
                   std::regex_search(line, std::regex("\\[=*>? *\\]  [0-9]+/[0-9]+"))));
        }
    }
}

}  // namespace terminal_test
