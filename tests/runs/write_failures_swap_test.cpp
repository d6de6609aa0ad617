// The files that a swap writes, each refused by itself: the swap is refused for now, with the
// file's name, nothing half written stays, and the training has the bits of one without it.

#include "runs/live_run.hpp"
#include "runs/write_failures.hpp"
#include "support/paths.hpp"
#include "support/some_of.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace write_failures_swap_test {

namespace fs = std::filesystem;

using namespace ptp::test;

namespace {

constexpr const char* kFull = ": No space left on device\n";
const std::string kGoesOn =
    "    the training continues with the running build, and this one is not tried again by itself\n"
    "    fix: ";
const std::string kAskAgain = "ask again at the end of the epoch\n";
const std::string kMakeRoom = kGoesOn + "make room there, or make it writable, then " + kAskAgain;

// A training with an exporter, and another build of its plugin.
class Exported {
public:
    explicit Exported(const std::string& rehearse) : is_in_process_(rehearse == "process") {
        ptp::test::Lines lines = ptp::test::with_recurrent(3);
        lines.pipeline +=
            "[pipeline.cells]\ntype = \"StreamFileExporter\"\ninput_streams = [\"indices\"]\n"
            "[swap]\nrehearse = \"" +
            rehearse + "\"\n";
        folder.write(lines);
        install(folder);
        const fs::path plugin = ptp::test::build_dir() / "lib/ptp/plugins/exporters.so";
        build = (folder.path() / "other/exporters_again.so").string();
        fs::create_directories(fs::path(build).parent_path());
        std::ofstream(build, std::ios::binary) << folder.read(plugin) << '\n';
        REQUIRE(folder.run("plain", ptp::test::with_installed(folder)).status == 0);
    }

    // A swap whose write to these files fails once reports `said`; the training continues, and its
    // results equal a run without the swap.
    void check(Refused refused, const std::string& said) const {
        CAPTURE(refused.files);
        CAPTURE(refused.at);
        refused.files.insert(0, folder.run_folder("refused") + "/");
        refused.times = 1;
        LiveRun run(folder, "refused", {}, refusing(refused));
        run.go_on_for(2);
        const ProcessResult result = run.swap({build});
        CHECK(std::regex_replace(without_hashes(result.errors, folder.path()),
                                 std::regex("toml:[0-9]+:1"), "toml:LINE:1") ==
              "ptprun: error: FOLDER/other/exporters_again.so: cannot be swapped in now " + said);
        CHECK(result.output == "");
        CHECK(result.status == 5);
        check_nothing_left();
        if (!is_in_process_) {  // what a child was refused its parent does not count
            require_success(run.swap({build, "--dry-run"}));
            check_nothing_left();
        }
        run.finish();
        check_same_bits(folder, "plain", "refused");
        CHECK((folder.read("refused/exports/cells.csv") == folder.read("plain/exports/cells.csv")));
        fs::remove_all(folder.run_folder("refused"));
    }

    ExperimentFolder folder;
    std::string build;

private:
    void check_nothing_left() const {
        CHECK_FALSE(folder.has("refused/swap-trial"));
        CHECK(
            (!folder.has("refused/journal.jsonl") || folder.read("refused/journal.jsonl").empty()));
        for (const fs::directory_entry& entry :
             fs::directory_iterator(folder.path() / "refused/plugins")) {
            CAPTURE(entry.path().string());
            CHECK(entry.path().extension() == ".so");
        }
    }

    bool is_in_process_;
};

}  // namespace

TEST_CASE("write failures: where the copy of a build cannot be written the swap is refused") {
    if (!ptp::test::can_refuse_writes()) {
        return;
    }
    const Exported exported("thread");
    const std::string said =
        "(stage): its copy FOLDER/refused/plugins/exporters_again.1.HASH.so cannot be written" +
        std::string(kFull) + kMakeRoom;
    const std::string copy = "plugins/exporters_again.1.*.so";
    const std::vector<Refused> all{{.files = copy + ".new"},
                                   {.files = copy + ".new", .room = 1000},
                                   {.files = copy + ".new", .at = "open"},
                                   {.files = copy + ".new", .at = "sync"},
                                   {.files = copy, .at = "rename"}};
    for (const Refused& refused : some_of(all, 4)) {
        exported.check(refused, said);
    }
}

TEST_CASE("write failures: where a trial cannot write its files the swap is refused for now") {
    if (!ptp::test::can_refuse_writes()) {
        return;
    }
    for (const std::string rehearse : {"thread", "process"}) {
        CAPTURE(rehearse);
        const Exported exported(rehearse);
        const std::string file = "swap-trial/exports/cells.csv";
        const std::string said =
            ": FOLDER/experiment.toml:LINE:1: 'cells' (StreamFileExporter): cannot write "
            "FOLDER/refused/" +
            file + kFull + kGoesOn + "make room there, then " + kAskAgain;
        exported.check({.files = file, .room = 5}, "(rehearse)" + said);
        if (!ptp::test::is_all_wanted()) {
            continue;
        }
        exported.check({.files = file}, "(rehearse)" + said);
        exported.check({.files = file, .at = "open"}, "(migrate)" + said);
        exported.check({.files = "swap-trial", .at = "mkdir"},
                       "(rehearse): FOLDER/refused/swap-trial, where new components are tried, "
                       "cannot be made" +
                           std::string(kFull) + kMakeRoom);
    }
}

TEST_CASE("write failures: a swap that the journal cannot take is refused for now") {
    if (!ptp::test::can_refuse_writes()) {
        return;
    }
    const Exported exported("thread");
    const std::string said = "(commit): cannot write FOLDER/refused/journal.jsonl" +
                             std::string(kFull) + kGoesOn + kAskAgain;
    const std::vector<Refused> all{{.files = "journal.jsonl", .room = 20},
                                   {.files = "journal.jsonl"},
                                   {.files = "journal.jsonl", .at = "open"}};
    for (const Refused& refused : some_of(all, 3)) {
        exported.check(refused, said);
    }
}

TEST_CASE(
    "write failures: a list of plugins that cannot be written ends the run, a resume continues") {
    if (!ptp::test::can_refuse_writes()) {
        return;
    }
    const Exported exported("thread");
    const ExperimentFolder& folder = exported.folder;
    const auto swapped = [&](const std::string& name, const Refused& refused) {
        LiveRun run(folder, name, {}, refusing(refused));
        run.go_on_for(2);
        CHECK(run.swap({exported.build}).errors == "");
        run.done({"continue"});
        return run.end_with(0);
    };
    REQUIRE(swapped("whole", {.files = ""}) == 0);
    // It is written at the start of the run too, and then once more with the new build.
    const std::string list = "plugins.lock";
    const auto size = folder.read("plain/" + list).size();
    CHECK(swapped("refused", {.files = folder.run_folder("refused") + "/" + list + ".new",
                              .room = size}) == 5);
    CHECK(
        ptp::test::without_folder(ptp::test::status_in(folder.path() / "refused"), folder.path()) ==
        "failed: cannot write FOLDER/refused/plugins.lock.new: No space left on device (5)\n");
    CHECK((folder.read("refused/" + list) == folder.read("plain/" + list)));
    CHECK(ptp::test::ptprun({"resume", folder.run_folder("refused")}).status == 0);
    check_same_bits(folder, "whole", "refused");
    CHECK(folder.read("refused/" + list).find("exporters_again.1.") != std::string::npos);
}

}  // namespace write_failures_swap_test
