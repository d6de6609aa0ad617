// Removes temporary folders of killed programs, and only those.

#include "base/temporary_folders.hpp"

#include "base/temporary_path.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

namespace temporary_folders_test {

namespace fs = std::filesystem;
using ptp::hold_temporary_folder;
using ptp::remove_abandoned_folders;
using ptp::temporary_folder_pattern;
using ptp::TemporaryPath;
using ptp::test::TempFolder;

namespace {

// Returns a folder with a file, a folder and a link to `target` in it, which a process has made in
// `parent` that SIGKILL has ended.
fs::path left_by_a_killed_process(const fs::path& parent, const fs::path& target) {
    std::array<int, 2> made{};
    REQUIRE(pipe(made.data()) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        setenv("TMPDIR", parent.c_str(), 1);
        const TemporaryPath folder = TemporaryPath::new_folder();
        fs::create_directories(folder.path() / "deep/deeper");
        std::ofstream(folder.path() / "deep/deeper/file") << "x";
        fs::create_directory_symlink(target, folder.path() / "link");
        const std::string path = folder.path().string();
        const bool is_sent = write(made[1], path.c_str(), path.size()) > 0;
        pause();
        _exit(is_sent ? 0 : 1);
    }
    close(made[1]);
    std::array<char, 4096> path{};
    const ssize_t length = read(made[0], path.data(), path.size());
    close(made[0]);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    REQUIRE(length > 0);
    return std::string(path.data(), static_cast<std::size_t>(length));
}

// Returns the path of a temporary folder in `parent` with these six characters at its end, as a
// program of this boot names it, or of another one.
fs::path named(const TempFolder& parent, const std::string& characters,
               const std::string& boot = ptp::boot_id()) {
    const std::string pattern = temporary_folder_pattern(parent.path(), boot);
    return parent.path() / (pattern.substr(0, pattern.size() - characters.size()) + characters);
}

// Returns a new folder of this name for this user alone, without a lock.
fs::path made_folder(const fs::path& path) {
    fs::create_directory(path);
    fs::permissions(path, fs::perms::owner_all);
    return path;
}

}  // namespace

TEST_CASE("temporary folders: that of a process that was killed is removed, and no other") {
    const TempFolder parent;
    const TempFolder outside;
    outside.write("kept", "x");
    const fs::path left = left_by_a_killed_process(parent.path(), outside.path());
    CHECK(fs::exists(left / "deep/deeper/file"));

    const fs::path held = made_folder(named(parent, "held00"));
    const auto holding = hold_temporary_folder(held.string());
    CHECK(holding.is_open());
    const fs::path being_made = made_folder(named(parent, "made00"));
    const fs::path shared = made_folder(named(parent, "shared"));
    fs::permissions(shared, fs::perms::all | fs::perms::sticky_bit);
    const fs::path other = made_folder(named(parent, "longer").string() + "0");
    static_cast<void>(hold_temporary_folder(other.string()));
    fs::create_directory_symlink(outside.path(), named(parent, "link00"));

    remove_abandoned_folders(parent.path());
    CHECK_FALSE(fs::exists(left));
    for (const fs::path& kept : {held, being_made, shared, other}) {
        CAPTURE(kept);
        CHECK(fs::is_directory(kept));
    }
    CHECK(fs::is_symlink(named(parent, "link00")));
    CHECK(fs::exists(outside.path() / "kept"));
}

TEST_CASE("temporary folders: one is held until the descriptor is closed, also after a move") {
    const TempFolder parent;
    const fs::path folder = made_folder(named(parent, "000000"));
    auto first = hold_temporary_folder(folder.string());
    {
        const auto second = std::move(first);
        remove_abandoned_folders(parent.path());
        CHECK(fs::exists(folder));
    }
    remove_abandoned_folders(parent.path());
    CHECK_FALSE(fs::exists(folder));
}

TEST_CASE("temporary folders: one stays that another machine or an earlier boot may be using") {
    const TempFolder parent;
    const fs::path own = made_folder(named(parent, "own000"));
    const fs::path other = made_folder(named(parent, "other0", "4f6e5c1e-0000"));
    const fs::path unmarked = made_folder(named(parent, "none00", ""));
    CHECK(unmarked.filename() == "ptp-plugins-none00");
    // The locks are freed at once: a lock of another machine could not be seen either.
    for (const fs::path& folder : {own, other, unmarked}) {
        CHECK(hold_temporary_folder(folder.string()).is_open());
    }

    remove_abandoned_folders(parent.path(), "");
    CHECK(fs::exists(own));
    remove_abandoned_folders(parent.path());
    CHECK_FALSE(fs::exists(own));
    CHECK(fs::exists(other));
    CHECK(fs::exists(unmarked));
    remove_abandoned_folders(parent.path(), "4f6e5c1e-0000");
    CHECK_FALSE(fs::exists(other));
}

TEST_CASE("temporary folders: each mounted file system has its own mark, as it has its own locks") {
    const std::string boot = "4f6e5c1e-0000";
    CHECK(temporary_folder_pattern("/", boot) == temporary_folder_pattern("/.", boot));
    CHECK(temporary_folder_pattern("/", boot) != temporary_folder_pattern("/proc", boot));
    CHECK(temporary_folder_pattern("/", boot) != temporary_folder_pattern("/", "4f6e5c1e-0001"));
    CHECK(temporary_folder_pattern("/none", boot) == "ptp-plugins-XXXXXX");
}

TEST_CASE("temporary folders: a folder that is not there has none that are abandoned") {
    const TempFolder parent;
    remove_abandoned_folders(parent.path() / "none");
    CHECK_FALSE(hold_temporary_folder((parent.path() / "none").string()).is_open());
}

}  // namespace temporary_folders_test
