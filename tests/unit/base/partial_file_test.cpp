// Files that are written beside others: what is left of them after an end, an error and a kill.

#include "base/partial_file.hpp"

#include "base/error.hpp"
#include "base/temporary_folders.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace partial_file_test {

namespace {

namespace fs = std::filesystem;
using ptp::PartialFile;
using ptp::test::TempFolder;

std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) {
        names.push_back(entry.path().filename().string());
    }
    std::ranges::sort(names);
    return names;
}

// Has a process begin to write the file, and end by this signal.
void end_a_writer(const fs::path& file, int signal) {
    std::array<int, 2> made{};
    REQUIRE(pipe(made.data()) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        for (const int own : {SIGINT, SIGTERM, SIGHUP}) {
            std::signal(own, SIG_DFL);
        }
        ptp::remove_temporary_folders_on_signals();
        PartialFile part(file);
        std::ofstream(part.path()) << "half";
        part.hold();
        static_cast<void>(write(made[1], "x", 1));
        pause();
        _exit(1);
    }
    close(made[1]);
    char byte = 0;
    CHECK(read(made[0], &byte, 1) == 1);
    close(made[0]);
    kill(child, signal);
    waitpid(child, nullptr, 0);
}

}  // namespace

TEST_CASE("partial file: a finished one takes the place of the file, others leave nothing") {
    const TempFolder folder;
    const fs::path file = folder.write("a.txt", "before");
    {
        const PartialFile part(file);
        std::ofstream(part.path()) << "half";
    }
    CHECK(names_in(folder.path()) == std::vector<std::string>{"a.txt"});
    PartialFile part(file);
    std::ofstream(part.path()) << "whole";
    part.finish();
    CHECK(folder.read("a.txt") == "whole");
    CHECK(names_in(folder.path()) == std::vector<std::string>{"a.txt"});
}

TEST_CASE("partial file: one that cannot take its place is an error with the file's name") {
    const TempFolder folder;
    fs::create_directory(folder.path() / "a");
    PartialFile part(folder.path() / "a");
    std::ofstream(part.path()) << "whole";
    const std::string expected =
        "cannot write " + (folder.path() / "a").string() + ": Is a directory";
    CHECK_THROWS_WITH_AS(part.finish(), expected.c_str(), ptp::RunError);
}

TEST_CASE("partial file: a signal removes what a writer has begun") {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        const TempFolder folder;
        end_a_writer(folder.path() / "a.txt", signal);
        CHECK(names_in(folder.path()).empty());
    }
}

TEST_CASE("partial file: the next writer removes what killed ones have left, and nothing else") {
    const TempFolder folder;
    const fs::path file = folder.path() / "a.txt";
    end_a_writer(file, SIGKILL);
    REQUIRE(names_in(folder.path()).size() == 1);
    const std::string left = names_in(folder.path()).front();
    const std::string other = "b.txt" + left.substr(5);
    const std::string beginning = left.substr(0, left.rfind('-') + 1);
    folder.write(other, "of another file");
    folder.write("a.txt.new-12345", "without the mark of this boot");
    folder.write(beginning + "1", "of a process that lives");
    folder.write(beginning + "x", "of no process");
    { const PartialFile next(file); }
    std::vector<std::string> kept = {"a.txt.new-12345", beginning + "1", beginning + "x", other};
    std::ranges::sort(kept);
    CHECK(names_in(folder.path()) == kept);
}

}  // namespace partial_file_test
