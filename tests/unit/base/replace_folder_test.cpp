#include "base/replace_folder.hpp"

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <stdexcept>
#include <string>

namespace replace_folder_test {

namespace fs = std::filesystem;
using ptp::exchange_folders;
using ptp::ExchangeFolders;
using ptp::OutputFile;
using ptp::recover_folder;
using ptp::replace_folder;

namespace {

// A folder with two files of the same content.
void write_both(const fs::path& folder, const std::string& content,
                ExchangeFolders exchange = exchange_folders) {
    const auto write = [&content](const fs::path& made) {
        for (const char* name : {"first", "second"}) {
            OutputFile file = OutputFile::create(made / name);
            file.write(content);
            file.finish();
        }
    };
    replace_folder(folder, write, exchange);
}

// A file system that cannot.
bool never(const fs::path&, const fs::path&) {
    return false;
}

bool has_both(const fs::path& folder) {
    return fs::exists(folder / "first") && fs::exists(folder / "second");
}

void kill_at_any_moment(ExchangeFolders exchange) {
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
                write_both(folder, std::to_string(i), exchange);
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
        recover_folder(folder, has_both);
        CHECK(temp.read("last/first") == temp.read("last/second"));
    }
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

TEST_CASE("replace folder: without an exchange the new content takes the old one's place too") {
    const ptp::test::TempFolder temp;
    write_both(temp.path() / "last", "one", never);
    write_both(temp.path() / "last", "two", never);
    CHECK(temp.read("last/first") == "two");
    CHECK(temp.read("last/second") == "two");
    CHECK(std::distance(fs::directory_iterator(temp.path()), fs::directory_iterator()) == 1);
}

TEST_CASE("replace folder: what cannot be renamed is said with the system's reason") {
    const ptp::test::TempFolder temp;
    const fs::path folder = temp.path() / "last";
    write_both(folder, "one");
    const auto remove_it = [](const fs::path& made, const fs::path&) {
        fs::remove_all(made);
        return false;
    };
    CHECK_THROWS_WITH_AS(
        write_both(folder, "two", remove_it),
        ("cannot rename " + folder.string() + ".new to last: No such file or directory").c_str(),
        ptp::RunError);
    CHECK(temp.read("last.old/first") == "one");
}

TEST_CASE("replace folder: a kill at any moment leaves the old folder or the new one") {
    kill_at_any_moment(exchange_folders);
}

TEST_CASE("replace folder: so it does without an exchange, under that name or a rest's") {
    kill_at_any_moment(never);
}

}  // namespace replace_folder_test
