#include "engine/checkpoint/checkpoint_folder.hpp"

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/replace_folder.hpp"
#include "run/hashes.hpp"
#include "support/temp_folder.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>

namespace checkpoint_folder_test {

namespace fs = std::filesystem;

using ptp::OutputFile;
using ptp::replace_folder;
using ptp::RunError;
using ptp::engine::CheckpointFolder;
using ptp::run::check_hashes;
using ptp::run::write_hashes;
using ptp::test::TempFolder;

namespace {

struct Logged {
    std::ostringstream text;
    spdlog::logger log{"ptp", std::make_shared<spdlog::sinks::ostream_sink_st>(text)};
    Logged() { log.set_pattern("%l %v"); }
};

void write(const fs::path& folder, const std::string& content) {
    replace_folder(folder, [&](const fs::path& made) {
        OutputFile file = OutputFile::create(made / "weights");
        file.write(content);
        file.finish();
        write_hashes(made);
    });
}

void save(CheckpointFolder& checkpoints, std::uint64_t episodes, bool is_best) {
    write(checkpoints.folder_of(episodes), std::to_string(episodes));
    checkpoints.publish(episodes, is_best);
}

std::set<std::string> names_in(const fs::path& folder) {
    std::set<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        names.insert(entry.path().filename().string());
    }
    return names;
}

std::string problem_with(const fs::path& folder) {
    return ptp::test::error_of<RunError>(ptp::kDataError, [&] { check_hashes(folder); });
}

}  // namespace

TEST_CASE("checkpoints: the newest are kept, and those named last and best") {
    const TempFolder folder;
    Logged logged;
    CheckpointFolder checkpoints(folder.path(), 2, logged.log);
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
    Logged logged;
    CheckpointFolder checkpoints(folder.path(), 0, logged.log);
    save(checkpoints, 10, true);
    save(checkpoints, 20, true);
    save(checkpoints, 30, false);
    CHECK(names_in(folder.path()) ==
          std::set<std::string>{"best", "episode_0000000020", "episode_0000000030", "last"});
}

TEST_CASE("checkpoints: a write that fails leaves the names where they were") {
    const TempFolder folder;
    Logged logged;
    CheckpointFolder checkpoints(folder.path(), 2, logged.log);
    save(checkpoints, 10, true);
    CHECK_THROWS(replace_folder(checkpoints.folder_of(20),
                                [](const fs::path&) { throw std::runtime_error("disk full"); }));
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
    Logged logged;
    CheckpointFolder checkpoints(folder.path(), 5, logged.log);
    CHECK_FALSE(checkpoints.find().newest_whole.has_value());
    save(checkpoints, 10, false);
    save(checkpoints, 20, true);
    std::ofstream(folder.path() / "episode_0000000020" / "weights") << "2O";
    const CheckpointFolder::Found found = checkpoints.find();
    CHECK(found.newest_whole == folder.path() / "episode_0000000010");
    REQUIRE(found.damaged.size() == 1);
    CHECK(found.damaged[0] == (folder.path() / "episode_0000000020").string() +
                                  ": the checkpoint is damaged:\n"
                                  "  weights: has changed since it was written");
}

TEST_CASE("checkpoints: if there were some and none is whole, that is refused") {
    const TempFolder folder;
    const fs::path all = folder.path() / "checkpoints";
    fs::create_directory(all);
    Logged logged;
    CheckpointFolder checkpoints(all, 5, logged.log);
    const auto refusal = [&]() -> std::string {
        return ptp::test::error_of<RunError>(ptp::kDataError, [&] { (void)checkpoints.find(); });
    };
    CHECK(refusal() == "");
    save(checkpoints, 10, false);
    std::ofstream(all / "last" / "weights") << "1O";
    const std::string run = folder.path().string();
    const std::string advice =
        run +
        ": the run cannot continue: none of its checkpoints is whole; put one back, or begin a new "
        "run: ptprun " +
        run + "/experiment.toml";
    CHECK(refusal() == advice + "\n" + run +
                           "/checkpoints/episode_0000000010: the checkpoint is damaged:\n"
                           "  weights: has changed since it was written");
    fs::remove_all(all / "episode_0000000010");
    CHECK(refusal() == advice);
}

TEST_CASE("hashes: a single file must have the one that its folder has for it, if it has one") {
    const TempFolder folder;
    const auto problem = [&](const char* name) -> std::string {
        return ptp::test::error_of<RunError>(
            ptp::kDataError, [&] { ptp::run::check_listed_hash(folder.path() / name); });
    };
    folder.write("a", "abc");
    CHECK(problem("a") == "");
    // FIPS 180-2, appendix B.1; the asterisk is how sha256sum marks binary files.
    folder.write("SHA256SUMS",
                 "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad *a\n");
    folder.write("b", "");
    CHECK(problem("a") == "");
    CHECK(problem("b") == "");
    folder.write("a", "abd");
    CHECK(problem("a") == (folder.path() / "a").string() +
                              ": has changed since it was written: its hash is not the one in " +
                              (folder.path() / "SHA256SUMS").string());
}

TEST_CASE("checkpoints: a run that continues gives last and best to the right ones") {
    const TempFolder folder;
    Logged logged;
    CheckpointFolder checkpoints(folder.path(), 5, logged.log);
    save(checkpoints, 10, true);
    save(checkpoints, 20, true);
    save(checkpoints, 30, false);
    // As if an earlier process had been killed between the folder and its names.
    CHECK_FALSE(checkpoints.resume_from(20, 10).has_value());
    CHECK(folder.read("last/weights") == "20");
    CHECK(folder.read("best/weights") == "10");

    std::ofstream(folder.path() / "episode_0000000010" / "weights") << "1O";
    CHECK(checkpoints.resume_from(20, 10) == (folder.path() / "episode_0000000010").string() +
                                                 ": the checkpoint is damaged:\n"
                                                 "  weights: has changed since it was written");
    CHECK_FALSE(fs::exists(folder.path() / "best"));
    CHECK_FALSE(checkpoints.resume_from(30, 0).has_value());
    CHECK_FALSE(fs::exists(folder.path() / "best"));
}

TEST_CASE("checkpoints: a copy that followed the links continues, and has links again") {
    const TempFolder folder;
    const fs::path all = folder.path() / "copy";
    Logged logged;
    {
        const fs::path origin = folder.path() / "origin";
        fs::create_directory(origin);
        CheckpointFolder checkpoints(origin, 5, logged.log);
        save(checkpoints, 10, true);
        save(checkpoints, 20, false);
        fs::copy(origin, all, fs::copy_options::recursive);  // as `scp -r`
    }
    REQUIRE_FALSE(fs::is_symlink(all / "last"));
    REQUIRE_FALSE(fs::is_symlink(all / "best"));
    CheckpointFolder checkpoints(all, 5, logged.log);
    REQUIRE(checkpoints.find().newest_whole == all / "episode_0000000020");

    SUBCASE("both stay the names of what they were") {
        CHECK_FALSE(checkpoints.resume_from(20, 10).has_value());
        const std::string why =
            " is a folder, as in copies that follow links; it becomes a link again\n";
        CHECK(logged.text.str() ==
              "info " + (all / "best").string() + why + "info " + (all / "last").string() + why);
        CHECK(fs::read_symlink(all / "last") == "episode_0000000020");
        CHECK(fs::read_symlink(all / "best") == "episode_0000000010");
        save(checkpoints, 30, true);
        CHECK(fs::read_symlink(all / "best") == "episode_0000000030");
        CHECK(names_in(all) == std::set<std::string>{"best", "episode_0000000010",
                                                     "episode_0000000020", "episode_0000000030",
                                                     "last"});
    }
    SUBCASE("a best one that is damaged is no longer named, and nothing of it is lost") {
        fs::remove(all / "episode_0000000010" / "weights");
        CHECK(checkpoints.resume_from(20, 10) == (all / "episode_0000000010").string() +
                                                     ": the checkpoint is damaged:\n"
                                                     "  weights: is missing");
        CHECK(names_in(all) == std::set<std::string>{"best.damaged", "episode_0000000010.damaged",
                                                     "episode_0000000020", "last"});
        CHECK(folder.read("copy/best.damaged/weights") == "10");
    }
    SUBCASE("without the folder that last was a copy of, no run begins again") {
        fs::remove_all(all / "episode_0000000010");
        fs::remove_all(all / "episode_0000000020");
        CHECK_THROWS_WITH_AS(
            (void)checkpoints.find(),
            (folder.path().string() +
             ": the run cannot continue: none of its checkpoints is whole; put one back, or begin a "
             "new run: ptprun " +
             folder.path().string() + "/experiment.toml")
                .c_str(),
            RunError);
    }
}

TEST_CASE("checkpoints: a damaged one does not count among those that are kept") {
    const TempFolder folder;
    Logged logged;
    CheckpointFolder checkpoints(folder.path(), 2, logged.log);
    for (const std::uint64_t episodes : {10, 20, 30}) {
        save(checkpoints, episodes, false);
    }
    const fs::path damaged = folder.path() / "episode_0000000030";
    std::ofstream(damaged / "weights") << "3O";
    REQUIRE(checkpoints.find().newest_whole == folder.path() / "episode_0000000020");
    CHECK_FALSE(checkpoints.resume_from(20, 0).has_value());
    CHECK(logged.text.str() == "warning " + damaged.string() +
                                   " is kept as episode_0000000030.damaged, for you to look at or "
                                   "to remove\n");
    save(checkpoints, 25, false);
    CHECK(names_in(folder.path()) == std::set<std::string>{"episode_0000000020",
                                                           "episode_0000000025",
                                                           "episode_0000000030.damaged", "last"});
    // Nothing is left of it under a name that counts.
    save(checkpoints, 30, false);
    CHECK(checkpoints.find().newest_whole == damaged);
    CHECK(folder.read("episode_0000000030.damaged/weights") == "3O");
}

TEST_CASE("checkpoints: a kill between two renames loses none") {
    const TempFolder folder;
    Logged logged;
    CheckpointFolder checkpoints(folder.path(), 2, logged.log);
    save(checkpoints, 10, false);
    const fs::path last = folder.path() / "episode_0000000010";
    const fs::path old = last.string() + ".old";
    const fs::path made = last.string() + ".new";

    SUBCASE("the new one was whole") {
        fs::rename(last, old);
        write(last, "new");
        fs::rename(last, made);
        CHECK(checkpoints.find().newest_whole == last);
        CHECK(folder.read("last/weights") == "new");
    }
    SUBCASE("the new one is not") {
        fs::rename(last, old);
        fs::create_directory(made);
        CHECK(checkpoints.find().newest_whole == last);
        CHECK(folder.read("last/weights") == "10");
    }
    SUBCASE("neither is whole: both are remains of what was to be removed") {
        fs::rename(last, old);
        fs::remove(old / "weights");
        fs::create_directory(made);
        fs::remove(folder.path() / "last");
        const CheckpointFolder::Found found = checkpoints.find();
        CHECK_FALSE(found.newest_whole.has_value());
        CHECK(found.damaged.empty());
        return;
    }
    checkpoints.resume_from(10, 0);
    CHECK(names_in(folder.path()) == std::set<std::string>{"episode_0000000010", "last"});
}

TEST_CASE("checkpoints: an old one that cannot be removed is said once, and ends nothing") {
    const TempFolder folder;
    fs::permissions(folder.path(), fs::perms::all);
    const pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && setuid(65534) != 0) {  // whom permissions do not stop
            _exit(2);
        }
        Logged logged;
        CheckpointFolder checkpoints(folder.path(), 1, logged.log);
        const fs::path first = folder.path() / "episode_0000000010";
        save(checkpoints, 10, false);
        fs::permissions(first, fs::perms::owner_read | fs::perms::owner_exec);
        for (const std::uint64_t episodes : {20, 30, 40}) {
            save(checkpoints, episodes, false);
        }
        const bool is_said_once =
            logged.text.str() == "warning cannot remove " + first.string() +
                                     ".old: Permission denied; it stays, and so may other old "
                                     "checkpoints\n";
        const bool is_right =
            names_in(folder.path()) ==
            std::set<std::string>{"episode_0000000010.old", "episode_0000000040", "last"};
        fs::permissions(first.string() + ".old", fs::perms::owner_all);
        _exit(is_said_once && is_right ? 0 : 1);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
}

TEST_CASE("hashes: what is missing, changed, added or no list is said") {
    const TempFolder folder;
    const fs::path made = folder.path() / "made";
    fs::create_directory(made);
    std::ofstream(made / "a") << "abc";
    std::ofstream(made / "b") << "";
    write_hashes(made);
    CHECK(problem_with(made) == "");
    // FIPS 180-2, appendix B.1, and the empty message; the form is sha256sum's.
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

}  // namespace checkpoint_folder_test
