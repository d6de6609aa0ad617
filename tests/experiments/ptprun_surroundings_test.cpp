// What surrounds ptprun as it starts: closed standard streams, readers that go away, a small stack,
// a signal that comes before anything else, and large experiments.

#include "experiments/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>

#include <ctime>
#include <string>

namespace ptprun_surroundings_test {

using ptp::test::ptprun;
using ptp::test::Said;

namespace {

std::string program() {
    return "'" + (ptp::test::build_dir() / "bin/ptprun").string() + "'";
}

// What a shell prints that runs these commands in the folder of ptprun(); $P is the program.
Said shell(const std::string& commands) {
    return ptprun("--version >/dev/null; P=" + program() + "; export P; { " + commands + "; }");
}

// Seconds of this process for a check of N components of unknown types and N unused variables.
double seconds_to_check(int count) {
    std::string vars = "[vars]\n";
    std::string pipeline;
    for (int i = 0; i < count; ++i) {
        const std::string number = std::to_string(i);
        vars += "unused_" + number + " = 1\n";
        pipeline += "[pipeline.part_" + number + "]\ntype = \"Unknown" + number + "\"\n";
    }
    const std::string text =
        ptp::test::replaced(ptp::test::good_experiment(), "[vars]\n", vars) + pipeline;
    const std::clock_t begin = std::clock();
    CHECK(ptp::test::problems_of(text) != "");
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

}  // namespace

TEST_CASE("check: eight times as many mistakes do not take the square of eight times as long") {
    CHECK(seconds_to_check(4000) < 24 * seconds_to_check(500));
}

TEST_CASE("ptprun: what only prints ends with 5 where its output is closed or full") {
    for (const char* words : {"draw good.toml", "schema", "explain good.toml", "help words"}) {
        CAPTURE(words);
        const Said closed = shell(std::string("\"$P\" ") + words + " >&-; echo code $?");
        CHECK(closed.out == "code 5\n");
        CHECK(closed.err ==
              "ptprun: error: cannot write the standard output: Bad file descriptor\n");
        const Said full = shell(std::string("\"$P\" ") + words + " >/dev/full; echo code $?");
        CHECK(full.out == "code 5\n");
        CHECK(full.err ==
              "ptprun: error: cannot write the standard output: No space left on device\n");
    }
}

TEST_CASE("ptprun: a reader that goes away before the end is no error") {
    const Said said = shell("{ \"$P\" schema; echo code $? >&2; } | head -c 1");
    CHECK(said.out == "{");
    CHECK(said.err == "code 0\n");
}

TEST_CASE("ptprun: a small stack is enlarged, or refused in words") {
    CHECK(shell("(ulimit -S -s 256; \"$P\" check good.toml)").code == 0);
    const Said said = shell("(ulimit -s 256; \"$P\" check good.toml)");
    CHECK(said.code == 2);
    CHECK(said.err ==
          "ptprun: error: the stack may have 256 KiB here, ptprun needs 512\n"
          "    fix: ulimit -s 8192\n");
}

TEST_CASE("ptprun: SIGUSR1 before anything else ends as SIGTERM does") {
    for (const char* words :
         {"good.toml --run-dir run", "check good.toml", "cv good.toml --folds 2 --run-dir run",
          "good.toml --set seed=1,2 --run-dir run",
          "search good.toml --trials 2 --run-dir run --space "
          "training.optimizer.lr=log_uniform:0.01,0.1"}) {
        CAPTURE(words);
        // The signal waits until the program takes it.
        const Said said = shell("env --block-signal=USR1 sh -c 'kill -USR1 $$; exec \"$P\" " +
                                std::string(words) + "'; echo code $?; ls -d run 2>/dev/null");
        CHECK(said.out == "code 143\n");
    }
}

}  // namespace ptprun_surroundings_test
