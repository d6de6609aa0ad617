#include "engine/checkpoint/checkpoints.hpp"

#include "engine/checkpoint/file.hpp"
#include "engine/checkpoint/hash.hpp"
#include "engine/checkpoint/replace_folder.hpp"
#include "engine/error.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>

namespace fs = std::filesystem;

using ptp::engine::check_hashes;
using ptp::engine::Checkpoints;
using ptp::engine::OutputFile;
using ptp::engine::replace_folder;
using ptp::engine::RunError;
using ptp::engine::write_hashes;
using ptp::test::TempFolder;

namespace {

void write(const fs::path& folder, const std::string& content) {
    replace_folder(folder, [&](const fs::path& made) {
        OutputFile file = OutputFile::create(made / "weights");
        file.write(content);
        file.finish();
        write_hashes(made);
    });
}

void save(Checkpoints& checkpoints, std::uint64_t episodes, bool is_best) {
    checkpoints.save(episodes, is_best,
                     [&](const fs::path& folder) { write(folder, std::to_string(episodes)); });
}

std::set<std::string> names_in(const fs::path& folder) {
    std::set<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        names.insert(entry.path().filename().string());
    }
    return names;
}

std::string problem_with(const fs::path& folder) {
    try {
        check_hashes(folder);
    } catch (const RunError& error) {
        CHECK(error.code() == ptp::engine::kDataError);
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("checkpoints: the newest are kept, and those named last and best") {
    const TempFolder folder;
    Checkpoints checkpoints(folder.path(), 2);
    save(checkpoints, 10, true);
    for (const std::uint64_t episodes : {20, 30, 40}) {
        save(checkpoints, episodes, false);
    }
    CHECK(names_in(folder.path()) == std::set<std::string>{"best", "episode_0000000010",
                                                           "episode_0000000030",
                                                           "episode_0000000040", "last"});
    CHECK(folder.read("best/weights") == "10");
    CHECK(folder.read("last/weights") == "40");
}

TEST_CASE("checkpoints: keep = 0 leaves last and best") {
    const TempFolder folder;
    Checkpoints checkpoints(folder.path(), 0);
    save(checkpoints, 10, true);
    save(checkpoints, 20, true);
    save(checkpoints, 30, false);
    CHECK(names_in(folder.path()) ==
          std::set<std::string>{"best", "episode_0000000020", "episode_0000000030", "last"});
}

TEST_CASE("checkpoints: a write that fails leaves the names where they were") {
    const TempFolder folder;
    Checkpoints checkpoints(folder.path(), 2);
    save(checkpoints, 10, true);
    const auto fail = [](const fs::path& made) {
        replace_folder(made, [](const fs::path&) { throw std::runtime_error("disk full"); });
    };
    CHECK_THROWS(checkpoints.save(20, true, fail));
    CHECK(folder.read("last/weights") == "10");
    CHECK(folder.read("best/weights") == "10");
    CHECK(checkpoints.find().newest_whole == folder.path() / "episode_0000000010");
    // What is left of it goes with the next one.
    save(checkpoints, 30, false);
    CHECK(names_in(folder.path()) ==
          std::set<std::string>{"best", "episode_0000000010", "episode_0000000030", "last"});
}

TEST_CASE("checkpoints: the newest whole one is found, and damaged ones are named") {
    const TempFolder folder;
    Checkpoints checkpoints(folder.path(), 5);
    CHECK_FALSE(checkpoints.find().newest_whole.has_value());
    save(checkpoints, 10, false);
    save(checkpoints, 20, true);
    std::ofstream(folder.path() / "episode_0000000020" / "weights") << "2O";
    const Checkpoints::Found found = checkpoints.find();
    CHECK(found.newest_whole == folder.path() / "episode_0000000010");
    REQUIRE(found.damaged.size() == 1);
    CHECK(found.damaged[0] == (folder.path() / "episode_0000000020").string() +
                                  ": the checkpoint is damaged:\n"
                                  "  weights: has changed since it was written");
}

TEST_CASE("checkpoints: a run that goes on gives last and best to the right ones") {
    const TempFolder folder;
    Checkpoints checkpoints(folder.path(), 5);
    save(checkpoints, 10, true);
    save(checkpoints, 20, true);
    save(checkpoints, 30, false);
    // As if an earlier process had been killed between the folder and its names.
    CHECK_FALSE(checkpoints.take_up(20, 10).has_value());
    CHECK(folder.read("last/weights") == "20");
    CHECK(folder.read("best/weights") == "10");

    std::ofstream(folder.path() / "episode_0000000010" / "weights") << "1O";
    CHECK(checkpoints.take_up(20, 10) == (folder.path() / "episode_0000000010").string() +
                                             ": the checkpoint is damaged:\n"
                                             "  weights: has changed since it was written");
    CHECK_FALSE(fs::exists(folder.path() / "best"));
    CHECK_FALSE(checkpoints.take_up(30, 0).has_value());
    CHECK_FALSE(fs::exists(folder.path() / "best"));
}

TEST_CASE("hashes: what is missing, changed, added or no list is said") {
    const TempFolder folder;
    const fs::path made = folder.path() / "made";
    fs::create_directory(made);
    std::ofstream(made / "a") << "abc";
    std::ofstream(made / "b") << "";
    write_hashes(made);
    CHECK(problem_with(made) == "");
    // FIPS 180-2, appendix B.1, and the empty message; the form is that of sha256sum.
    CHECK(folder.read("made/SHA256SUMS") ==
          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a\n"
          "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  b\n");
    std::ofstream(made / "a") << "abd";
    fs::remove(made / "b");
    std::ofstream(made / "c") << "";
    CHECK(problem_with(made) == made.string() +
                                    ": the checkpoint is damaged:\n"
                                    "  a: has changed since it was written\n"
                                    "  b: is missing\n"
                                    "  c: is not in the list");
    std::ofstream(made / "SHA256SUMS") << "nonsense\n";
    CHECK(problem_with(made) == (made / "SHA256SUMS").string() + ": is not a list of hashes");
    fs::remove(made / "SHA256SUMS");
    CHECK(problem_with(made) ==
          "cannot read " + (made / "SHA256SUMS").string() + ": No such file or directory");
}
