// What a run writes to a terminal.

#include "runs/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

using ptp::test::ExperimentFolder;

namespace {

// What ptprun writes to a terminal of this type while it trains.
std::string shown(const std::string& type) {
    const ExperimentFolder folder;
    folder.write();
    const std::string program = (ptp::test::build_dir() / "bin" / "ptprun").string();
    const std::string experiment = (folder.path() / "experiment.toml").string();
    const std::string run_folder = folder.run_folder("run");
    int screen = -1;
    const pid_t child = forkpty(&screen, nullptr, nullptr, nullptr);
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

}  // namespace

TEST_CASE("terminal: one that knows no escape sequences gets none") {
    const std::string text = shown("dumb");
    CHECK(text.find("validation") != std::string::npos);
    CHECK(text.find('\x1b') == std::string::npos);
}

TEST_CASE("terminal: any other has a live line and colours") {
    const std::string text = shown("xterm");
    CHECK(text.find("\r\x1b[K") != std::string::npos);
    CHECK(text.find("\x1b[1m") != std::string::npos);
}
