#include "engine/output/progress_line.hpp"

#include "support/memory_console.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

namespace pass_progress_test {

using namespace ptp::engine;

namespace {

// What is printed of a pass over 1000 samples in batches of 100; each takes N seconds.
std::string printed(ConsoleStyle style, double seconds) {
    const ptp::test::MemoryFile file;
    double now = 50;
    {
        Console console(file.get(), style);
        PassProgress progress(console, "test", [&] { return now; });
        for (std::uint64_t done = 100; done <= 1000; done += 100) {
            now += seconds;
            progress.batch({done, 1000});
        }
    }
    return file.printed();
}

// Without the memory, which is not known beforehand.
std::string without_memory(std::string text) {
    for (std::size_t end = text.find(" MiB"); end != std::string::npos; end = text.find(" MiB")) {
        const std::size_t begin = text.rfind("  ", end);
        text.erase(begin, end + 4 - begin);
    }
    return text;
}

}  // namespace

TEST_CASE("pass progress: a pipe gets at most one line in ten seconds") {
    CHECK(printed({Verbosity::kNormal, false, false}, 0.9) == "");
    CHECK(without_memory(printed({Verbosity::kNormal, false, false}, 4)) ==
          "test  [=========>                    ]  300/1000  25/s\n"
          "test  [==================>           ]  600/1000  16 s left  25/s\n"
          "test  [===========================>  ]  900/1000  4 s left  25/s\n");
}

TEST_CASE("pass progress: what is printed behind it begins in an empty line") {
    ptp::test::MemoryConsole terminal({Verbosity::kNormal, true, false});
    {
        PassProgress progress(terminal.console, "test");
        progress.batch({100, 1000});
        CHECK_FALSE(terminal.printed().ends_with("\x1b[K"));
    }
    CHECK(terminal.printed().ends_with("\r\x1b[K"));
}

TEST_CASE("pass progress: quiet, nothing is shown") {
    CHECK(printed({Verbosity::kQuiet, false, false}, 60) == "");
    CHECK(printed({Verbosity::kQuiet, true, false}, 60) == "");
}

TEST_CASE("pass progress: on a terminal the line has a bar from the first batch on") {
    const std::string text = printed({Verbosity::kNormal, true, false}, 4);
    CHECK(text.starts_with("\r\x1b[Ktest  [===>                          ]  100/1000"));
}

}  // namespace pass_progress_test
