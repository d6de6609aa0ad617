// Files that are written beside others: what is left of them after an end, an error and a kill.

#include "base/partial_file.hpp"

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/temporary_folders.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
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

// The part of a process of another container, which cannot be seen, is locked.
TEST_CASE("partial file: the next writer keeps a part that is locked, and removes it afterward") {
    const TempFolder folder;
    const fs::path file = folder.path() / "a.txt";
    end_a_writer(file, SIGKILL);
    REQUIRE(names_in(folder.path()).size() == 1);
    const fs::path left = folder.path() / names_in(folder.path()).front();
    {
        const ptp::Descriptor other(open(left.c_str(), O_RDONLY | O_CLOEXEC));
        REQUIRE(flock(other.get(), LOCK_EX | LOCK_NB) == 0);
        { const PartialFile next(file); }
        CHECK(fs::exists(left));
    }
    { const PartialFile next(file); }
    CHECK(names_in(folder.path()).empty());
}

TEST_CASE("partial file: two parts of one file at once are two files, and the last one stays") {
    const TempFolder folder;
    PartialFile first(folder.path() / "a.txt");
    PartialFile second(folder.path() / "a.txt");
    CHECK(first.path().string() + "-2" == second.path().string());
    first.open_to_write().write("first");
    second.open_to_write().write("second");
    first.finish();
    CHECK(folder.read("a.txt") == "first");
    second.finish();
    CHECK(folder.read("a.txt") == "second");
}

TEST_CASE(
    "partial file: a part that an earlier process with the same number has left is replaced") {
    const TempFolder folder;
    std::string name;
    {
        const PartialFile part(folder.path() / "a.txt");
        name = part.path().filename().string();
    }
    folder.write(name, "left");
    const PartialFile part(folder.path() / "a.txt");
    CHECK(part.path().filename().string() == name);
    CHECK(folder.read(name).empty());
}

TEST_CASE("partial file: one whose part was replaced by another file is refused") {
    const TempFolder folder;
    const fs::path file = folder.path() / "a.txt";
    {
        PartialFile part(file);
        fs::rename(folder.write("other", "of another program"), part.path());
        const std::string expected =
            "cannot write " + file.string() + ": No such file or directory";
        CHECK_THROWS_WITH_AS(part.finish(), expected.c_str(), ptp::RunError);
    }
    CHECK(names_in(folder.path()).size() == 1);  // the other's stays
    CHECK_FALSE(fs::exists(file));
}

TEST_CASE("partial file: a name may be as long as the system takes") {
    const TempFolder folder;
    const fs::path longest = folder.path() / std::string(255, 'n');
    PartialFile part(longest);
    part.open_to_write().write("whole");
    part.finish();
    CHECK(folder.read(longest.filename().string()) == "whole");
    const std::string more = (folder.path() / std::string(256, 'n')).string();
    CHECK_THROWS_WITH_AS(PartialFile{more},
                         ("cannot write " + more + ": File name too long").c_str(), ptp::RunError);
    fs::remove(longest);
    const PartialFile words(folder.path() / (std::string(214, 'n') + "\u00e4\u00e4"));
    CHECK(words.path().filename().string().starts_with(std::string(214, 'n') + ".new-"));
}

TEST_CASE("partial file: a working folder that is removed meanwhile ends no program") {
    const TempFolder folder;
    const fs::path before = fs::current_path();
    fs::create_directory(folder.path() / "here");
    fs::current_path(folder.path() / "here");
    {
        PartialFile part("a.txt");
        fs::remove_all(folder.path() / "here");
        CHECK_THROWS_WITH_AS(part.finish(), "cannot write a.txt: No such file or directory",
                             ptp::RunError);
        CHECK_THROWS_WITH_AS(PartialFile{"b.txt"}, "cannot write b.txt: No such file or directory",
                             ptp::RunError);
    }
    fs::current_path(before);
}

}  // namespace partial_file_test
