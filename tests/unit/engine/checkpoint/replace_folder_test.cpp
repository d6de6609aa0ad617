#include "engine/checkpoint/replace_folder.hpp"

#include "engine/checkpoint/file.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <stdexcept>
#include <string>

namespace fs = std::filesystem;
using ptp::engine::OutputFile;
using ptp::engine::replace_folder;

namespace {

// A folder with two files of the same content.
void write_both(const fs::path& folder, const std::string& content) {
    replace_folder(folder, [&content](const fs::path& made) {
        for (const char* name : {"first", "second"}) {
            OutputFile file = OutputFile::create(made / name);
            file.write(content);
            file.finish();
        }
    });
}

}  // namespace

TEST_CASE("replace folder: the new content takes the place of the old, and nothing else stays") {
    const ptp::test::TempFolder temp;
    write_both(temp.path() / "last", "one");
    write_both(temp.path() / "last", "two");
    CHECK(temp.read("last/first") == "two");
    CHECK(temp.read("last/second") == "two");
    CHECK(std::distance(fs::directory_iterator(temp.path()), fs::directory_iterator()) == 1);
}

TEST_CASE("replace folder: a writer that fails leaves the old folder as it was") {
    const ptp::test::TempFolder temp;
    write_both(temp.path() / "last", "one");
    CHECK_THROWS_WITH_AS(replace_folder(temp.path() / "last",
                                        [](const fs::path&) { throw std::runtime_error("no"); }),
                         "no", std::runtime_error);
    CHECK(temp.read("last/first") == "one");
    write_both(temp.path() / "last", "two");
    CHECK(temp.read("last/second") == "two");
}

TEST_CASE("replace folder: a kill at any moment leaves the old folder or the new one") {
    const ptp::test::TempFolder temp;
    const fs::path folder = temp.path() / "last";
    write_both(folder, "0");
    for (int round = 0; round < 40; ++round) {
        CAPTURE(round);
        int ends[2];
        REQUIRE(pipe(ends) == 0);
        const pid_t child = fork();
        if (child == 0) {
            for (int i = 1;; ++i) {
                write_both(folder, std::to_string(i));
                if (write(ends[1], "x", 1) != 1) {
                    _exit(1);
                }
            }
        }
        // Kill somewhere in the next replacement: where differs from round to round by itself.
        char byte = 0;
        for (int i = 0; i <= round % 3; ++i) {
            REQUIRE(read(ends[0], &byte, 1) == 1);
        }
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        close(ends[0]);
        close(ends[1]);
        CHECK(temp.read("last/first") == temp.read("last/second"));
    }
}
