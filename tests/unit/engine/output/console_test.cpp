#include "engine/output/console.hpp"

#include "support/memory_console.hpp"

#include <doctest/doctest.h>
#include <pty.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace console_test {

using namespace ptp::engine;

namespace {

// What a console of this style prints.
std::string printed(ConsoleStyle style) {
    ptp::test::MemoryConsole terminal(style);
    Console& console = terminal.console;
    console.headline("begin");
    if (console.wants_progress()) {
        console.progress("half");
    }
    console.line("end");
    console.warning("careful");
    return terminal.printed();
}

}  // namespace

TEST_CASE("console: plain lines without a terminal, warnings alone when quiet") {
    CHECK(printed({Verbosity::kNormal, false, false}) == "begin\nend\nwarning: careful\n");
    CHECK(printed({Verbosity::kQuiet, true, false}) == "warning: careful\n");
}

TEST_CASE("console: for a program there is nothing but JSON") {
    CHECK(printed({Verbosity::kNormal, true, true, true}) ==
          "half\n{\"event\":\"warning\",\"text\":\"careful\"}\n");
}

TEST_CASE("console: on a terminal lines take the place of the progress line") {
    CHECK(printed({Verbosity::kNormal, true, false}) ==
          "begin\n\r\x1b[Khalf\r\x1b[Kend\nwarning: careful\n");
    CHECK(printed({Verbosity::kNormal, true, true}) ==
          "\x1b[1mbegin\x1b[0m\n\r\x1b[Khalf\r\x1b[Kend\n\x1b[33mwarning: careful\x1b[0m\n");
}

TEST_CASE("console: warnings go to a stream of their own, and to programs as all else") {
    for (const bool is_json : {false, true}) {
        const ptp::test::MemoryFile out;
        const ptp::test::MemoryFile warnings;
        {
            Console console(out.get(), {Verbosity::kNormal, true, false, is_json}, warnings.get());
            console.progress("half");
            console.warning("care\x1b[31mful");
            console.line("end");
        }
        CHECK(out.printed() ==
              (is_json ? "half\n{\"event\":\"warning\",\"text\":\"care\\u001b[31mful\"}\n"
                       : "\r\x1b[Khalf\r\x1b[Kend\n"));
        CHECK(warnings.printed() == (is_json ? "" : "warning: care\\u001b[31mful\n"));
    }
}

TEST_CASE("console: a progress line is cut to the terminal's width") {
    int screen = -1;
    int terminal = -1;
    winsize size{};
    size.ws_col = 10;
    REQUIRE(openpty(&screen, &terminal, nullptr, nullptr, &size) == 0);
    std::FILE* file = fdopen(terminal, "w");
    Console console(file, {Verbosity::kNormal, true, false});
    console.progress("0123456789abcdef");
    char text[64];
    const ssize_t length = read(screen, text, sizeof text);
    REQUIRE(length > 0);
    CHECK(std::string(text, static_cast<std::size_t>(length)) == "\r\x1b[K012345678");
    close(screen);
}

}  // namespace console_test
