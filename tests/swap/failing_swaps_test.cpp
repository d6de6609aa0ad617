// All the ways in which a swap can fail: each is refused with its reason, and the training ends
// with the bits of the one that was never disturbed.

#include "base/exit_code.hpp"
#include "runs/interrupted.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"
#include "swap/mischiefs.hpp"
#include "swap/swapped_run.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace failing_swaps_test {

namespace fs = std::filesystem;
using namespace ptp::test;

namespace {

// A folder in which this test alone remembers the plugins that crash when they are loaded.
class OwnCache {
public:
    OwnCache() { ::setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1); }
    ~OwnCache() { ::unsetenv("XDG_CACHE_HOME"); }
    OwnCache(const OwnCache&) = delete;
    OwnCache& operator=(const OwnCache&) = delete;

private:
    TempFolder folder_;
};

constexpr int kEpisodes = 1200;
const std::string kMayChange =
    "\n    fix: to take it, continue the run with ptprun resume --set swap.numbers=may_change";
const std::string kAskAgain = "\n    fix: ask again at the end of the epoch";

std::string swap_section(const std::string& rehearse, const std::string& numbers) {
    return "[swap]\ncomponents = [\"net\", \"loss\", \"hits\", \"tally\", \"training\"]\n"
           "time_limit = \"" +
           std::to_string(kTimeLimitSeconds) + "s\"\nrehearse = \"" + rehearse +
           "\"\nnumbers = \"" + numbers + "\"\n";
}

// The texts of refusals end without a newline.
std::string in_folder(std::string text, const fs::path& folder) {
    text = without_folder(std::move(text), folder);
    text.resize(text.find_last_not_of('\n') + 1);
    return text;
}

std::string content_of(const fs::path& file) {
    return TempFolder().read(file);  // An absolute path stays as it is.
}

// As its author would have built it.
std::string sealed(const std::string& content) {
    const TempFolder temp;
    const fs::path file = temp.write("x.so", content);
    REQUIRE(ptp::test::run_program("ptp-manifest", {"--seal", file.string()}).status == 0);
    return content_of(file);
}

std::string forged(std::string content, const Forgery& forgery) {
    const auto at = content.find(forgery.left);
    REQUIRE(at != std::string::npos);
    std::string right = forgery.right;
    right.resize(forgery.left.size(), ' ');
    for (auto next = at; next != std::string::npos; next = content.find(forgery.left, next + 1)) {
        content.replace(next, right.size(), right);
        if (!forgery.left.starts_with("ptp_")) {
            break;  // A symbol's name may be there twice.
        }
    }
    return sealed(content);
}

fs::path built_plugin(const std::string& name) {
    return build_dir() / "tests/swap" / name;
}

void check_mischiefs(SwappedRun& run, const std::vector<Mischief>& list) {
    for (const Mischief& mischief : list) {
        CAPTURE(mischief.name);
        CHECK(run.refusal({ptp::test::mischief(mischief.name)}) ==
              "BUILD/tests/swap/" + mischief.name + "/mischief.so: cannot be swapped in " +
                  mischief.phase_and_reason);
    }
}

// What crashed when it was loaded is not loaded again.
void check_remembered(SwappedRun& run) {
    const std::string again = run.refusal({mischief("crashes_when_loaded")});
    const std::string reason =
        "BUILD/tests/swap/crashes_when_loaded/mischief.so: cannot be swapped in (load): loading it "
        "ended by signal 11 (Segmentation fault) in its start-up code or its entry on ";
    const std::string day(again, std::min(reason.size(), again.size()),
                          std::string("2026-11-21").size());
    CHECK(again ==
          reason + day +
              ": it is not loaded again\n    fix: repair and rebuild it; to try this file again: "
              "ptp-inspect why BUILD/tests/swap/crashes_when_loaded/mischief.so --retry");
}

void check_forgeries(SwappedRun& run) {
    const TempFolder files;
    const std::string content = content_of(mischief("none"));
    for (const Forgery& forgery : forgeries()) {
        CAPTURE(forgery.name);
        const fs::path file = files.write(forgery.name + ".so", forged(content, forgery));
        CHECK(in_folder(run.refusal({file}), files.path()) ==
              "FOLDER/" + forgery.name + ".so: cannot be swapped in " + forgery.phase_and_reason);
    }
}

// Files that are not whole are waited for, here all at once.
void check_incomplete_files(SwappedRun& run) {
    const TempFolder files;
    const std::string content = content_of(mischief("none"));
    const auto refused = [&](const ptp::control::Reply& reply) {
        return in_folder(run.refusal_in(reply), files.path());
    };
    auto empty = run.ask({files.write("empty.so", "")});
    auto truncated = run.ask({files.write("truncated.so", content.substr(0, 1000))});
    auto absent = run.ask({files.path() / "absent.so"});
    CHECK(refused(run.wait_for(std::move(empty))) ==
          "FOLDER/empty.so: cannot be swapped in (stage): is empty, and was not whole within 10 s\n"
          "    fix: build it again");
    CHECK(refused(run.wait_for(std::move(truncated))) ==
          "FOLDER/truncated.so: cannot be swapped in (stage): is cut off: its header promises " +
              std::to_string(content.size()) +
              " bytes, the file has 1000, and was not whole within 10 s\n    fix: build it again");
    CHECK(refused(run.wait_for(std::move(absent))) ==
          "FOLDER/absent.so: cannot be swapped in (stage): no such file, and none came "
          "within 10 s\n    fix: build it, or name another");
}

// What is known of a file that is whole: whether it is of this run, and may be exchanged.
void check_files(SwappedRun& run) {
    const TempFolder files;
    const auto swap = [&](const std::vector<fs::path>& list) {
        return in_folder(run.refusal_in(run.wait_for(run.ask(list))), files.path());
    };
    CHECK(swap({files.write("text.so", "int main() {}\n")}) ==
          "FOLDER/text.so: cannot be swapped in (inspect): is not an ELF file: it begins with 'int "
          "mai'\n    fix: build it with ptp_add_plugin()");
    CHECK(swap({ptp::test::build_dir() / "lib/ptp/plugins/viewers.so"}) ==
          "BUILD/lib/ptp/plugins/viewers.so: cannot be swapped in (inspect): the plugin 'viewers' "
          "is not one of this run\n    fix: name newer builds of gate, mischief, tally");
    const fs::path gate =
        files.write("gate.so", content_of(built_plugin("plugins/gate.so")) + '\n');
    CHECK(swap({gate}) ==
          "FOLDER/gate.so: cannot be swapped in (inspect): the plugin 'gate' holds 'gate' (Gate), "
          "which swap.components does not list\n"
          "    fix: to take it, continue the run with ptprun resume --set swap.components=LIST "
          "and 'gate' in the list");
    CHECK(swap({built_plugin("newer_tally.so")}) ==
          "BUILD/tests/swap/newer_tally.so: cannot be swapped in (migrate): 'tally' (Tally): it "
          "cannot read the state of the running build\n"
          "    fix: give it import_state(), and a state_version of at least 2");
    CHECK(swap({mischief("none"), mischief("throws"), mischief("is_nan")}) ==
          "BUILD/tests/swap/none/mischief.so, BUILD/tests/swap/throws/mischief.so, "
          "BUILD/tests/swap/is_nan/mischief.so: cannot be swapped in (inspect): "
          "BUILD/tests/swap/throws/mischief.so and BUILD/tests/swap/is_nan/mischief.so are both "
          "the plugin 'mischief'\n    fix: name one of them");
    const fs::path good = files.write("good.so", content_of(mischief("none")) + '\n');
    CHECK(swap({good, built_plugin("newer_tally.so")}) ==
          "FOLDER/good.so, BUILD/tests/swap/newer_tally.so: cannot be swapped in (migrate): "
          "'tally' (Tally): it cannot read the state of the running build\n"
          "    fix: give it import_state(), and a state_version of at least 2");
}

// What the thread sanitizer cannot follow, with the reason.
bool is_beyond_thread_sanitizer([[maybe_unused]] const char* reason) {
#if defined(__SANITIZE_THREAD__)
    MESSAGE("skipped: ", reason);
    return true;
#else
    return false;
#endif
}

void check_undisturbed(const ExperimentFolder& folder, SwappedRun& run) {
    CHECK(run.episodes_passed() < 1000);  // All was within the first epoch.
    CHECK(run.finish() == 0);
    check_same_results(folder, "undisturbed", "disturbed");
}

}  // namespace

TEST_CASE("failing swaps: none leaves a trace, rehearsed within the process") {
    const OwnCache cache;
    const ExperimentFolder folder;
    write_mischief(folder, kEpisodes, swap_section("thread", "may_change"));
    REQUIRE(train_undisturbed(folder, "undisturbed").status == 0);
    SwappedRun run(folder, "disturbed");
    check_mischiefs(run, mischiefs());
    check_mischiefs(run, deadly_when_loaded());
    check_remembered(run);
    check_forgeries(run);
    check_incomplete_files(run);
    check_files(run);
    CHECK(run.wait_for(run.ask({mischief("seeds")}, true)).is_ok);
    check_undisturbed(folder, run);
}

TEST_CASE("failing swaps: crashes, exits and hangs are survived too, rehearsed in a child") {
    if (is_beyond_thread_sanitizer(
            "in a child of a process with several threads the sanitizer takes a new thread for one "
            "of those, and ends")) {
        return;
    }
    const ExperimentFolder folder;
    write_mischief(folder, kEpisodes, swap_section("process", "may_change"));
    REQUIRE(train_undisturbed(folder, "undisturbed").status == 0);
    SwappedRun run(folder, "disturbed");
    check_mischiefs(run, mischiefs());
    check_mischiefs(run, deadly_mischiefs());
    CHECK(run.wait_for(run.ask({mischief("seeds")}, true)).is_ok);
    check_undisturbed(folder, run);
}

TEST_CASE("failing swaps: other numbers are refused where they must stay the same") {
    const ExperimentFolder folder;
    write_mischief(folder, kEpisodes, swap_section("thread", "same"));
    REQUIRE(train_undisturbed(folder, "undisturbed").status == 0);
    SwappedRun run(folder, "disturbed");
    const std::string scaled = run.refusal({mischief("is_scaled")});
    CHECK(
        std::regex_replace(scaled, std::regex("[0-9]+\\.[0-9]+"), "NUMBER") ==
        "BUILD/tests/swap/is_scaled/mischief.so: cannot be swapped in (rehearse): the loss of the "
        "next batch would be NUMBER, with the old component it is NUMBER, and swap.numbers is "
        "\"same\"" +
            kMayChange);
    const std::string smaller = run.refusal({mischief("loses_parameter")});
    CHECK(smaller ==
          "BUILD/tests/swap/loses_parameter/mischief.so: cannot be swapped in (migrate): 'net' "
          "(Net): 'second.bias' [3] has vanished\n    swap.numbers = \"same\" does not allow that" +
              kMayChange);
    CHECK(run.wait_for(run.ask({mischief("seeds")}, true)).is_ok);
    check_undisturbed(folder, run);
}

TEST_CASE("failing swaps: a batch that is bad with the running build too speaks against no build") {
    const ExperimentFolder folder;
    write_mischief(folder, kEpisodes, swap_section("thread", "may_change"));
    SwappedRun run(folder, "nan", "is_nan", {"--paused"});
    const TempFolder files;
    const fs::path other = files.write("other.so", content_of(mischief("is_nan")) + '\n');
    CHECK(in_folder(run.refusal({other}), files.path()) ==
          "FOLDER/other.so: cannot be swapped in now (rehearse): the loss of the next batch would "
          "be nan, and so it is with the running build" +
              kAskAgain);
    CHECK(run.refusal({mischief("has_infinite_gradients")}) ==
          "BUILD/tests/swap/has_infinite_gradients/mischief.so: cannot be swapped in now "
          "(rehearse): with the next batch the gradient would not be finite of 'net.first.bias', "
          "and so it is with the running build" +
              kAskAgain);
    CHECK(run.wait_for(run.ask({mischief("none")}, true)).is_ok);
}

TEST_CASE("failing swaps: no training begins with a statistic that could not be resumed") {
    const ExperimentFolder folder;
    write_mischief(folder, kEpisodes, swap_section("thread", "may_change"));
    const ProcessResult result = train_undisturbed(folder, "forgets", "forgets_counts");
    CHECK(result.status == ptp::kPluginError);
    CHECK(
        result.errors ==
        "ptprun: error: plugin 'mischief' 0.1.0: 'hits' (Hits): computes the statistic 'hits' over "
        "a whole set and cannot save what it has counted, so that a training that is interrupted "
        "and resumed would produce another value\n    fix: give it state(), or export_state() and "
        "import_state() (ptp.state/1), and build its plugin again\n");
}

}  // namespace failing_swaps_test
