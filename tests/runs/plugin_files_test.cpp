// Files of plugins that cannot be used, and systems that lack what it takes to use them.

#include "runs/support.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

namespace plugin_files_test {

namespace fs = std::filesystem;

using namespace ptp::test;

namespace {

const fs::path& installed() {
    static const fs::path folder = ptp::test::build_dir() / "lib/ptp/plugins";
    return folder;
}

// A copy of the plugin with another text in its manifest than the one that was sealed.
fs::path altered_losses(const ExperimentFolder& folder, const std::string& name) {
    std::string text = content_of(installed() / "losses.so");
    const std::string version = R"("version":"0.1.0")";
    const std::size_t at = text.find(version);
    REQUIRE(at != std::string::npos);
    text[at + version.size() - 2] = '7';
    const fs::path file = folder.path() / name / "losses.so";
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file;
}

constexpr const char* kAltered =
    "has changed since it was built: its manifest, code and constants are not what its seal was made of\n    fix: build it again, or copy it again from where it was built";

ProcessResult run_limited(const ExperimentFolder& folder, const ptp::test::Limit& limit) {
    return run_program("ptprun",
                       {(folder.path() / "experiment.toml").string(), "--run-dir",
                        folder.run_folder("run"), "--quiet"},
                       {{"OMP_NUM_THREADS", "1"}}, {limit});
}

}  // namespace

TEST_CASE("plugin files: an altered one is no reason to take an intact one from a later folder") {
    const ExperimentFolder folder;
    altered_losses(folder, "altered");
    const std::string why =
        std::string("FOLDER/altered/losses.so: error: ") + kAltered + "; it comes before " +
        (installed() / "losses.so").string() +
        ", which has the same plugin 'losses' and is not taken in its place\n"
        "    fix: repair or remove the file, or name another folder first: --plugins " +
        installed().string() + "\n";
    const std::string altered = (folder.path() / "altered").string();
    const ProcessResult refused = folder.run("run", {"--plugins", altered});
    CHECK(without_folder(refused.errors, folder.path()) == why);
    CHECK(refused.status == 3);
    CHECK_FALSE(folder.has("run"));
    const ProcessResult checked = run_program(
        "ptprun", {"check", (folder.path() / "experiment.toml").string(), "--plugins", altered});
    CHECK(without_folder(checked.errors, folder.path()) == why);
    CHECK(checked.status == 3);

    SUBCASE("unless that one is named first") {
        const ProcessResult result =
            folder.run("run", {"--plugins", installed().string(), "--plugins", altered, "--quiet"});
        CHECK(without_folder(result.errors, folder.path()) ==
              std::string("FOLDER/altered/losses.so: warning: ") + kAltered + "\n");
        CHECK(result.status == 0);
    }
    SUBCASE("a run that continues with --plugins does not fall back on its own copy") {
        REQUIRE(folder.run("run").status == 0);
        const ProcessResult result =
            run_program("ptprun", {"resume", folder.run_folder("run"), "--plugins", altered,
                                   "--set", "training.terminal_conditions.epoch_limit=9"});
        const std::string errors = std::regex_replace(without_folder(result.errors, folder.path()),
                                                      std::regex("[0-9a-f]{16}"), "HASH");
        CHECK(errors.starts_with(std::string("FOLDER/altered/losses.so: error: ") + kAltered +
                                 "; it comes before FOLDER/run/plugins/losses."));
        CHECK(result.status == 3);
    }
}

TEST_CASE("plugin files: one that no component of the experiment needs is only warned of") {
    const ExperimentFolder folder;
    fs::create_directory(folder.path() / "other");
    std::ofstream(folder.path() / "other/masking.so") << "hello world";
    const ProcessResult result =
        folder.run("run", {"--plugins", (folder.path() / "other").string(), "--quiet"});
    CHECK(without_folder(result.errors, folder.path()) ==
          "FOLDER/other/masking.so: warning: is not an ELF file: it begins with 'hello w'\n");
    CHECK(result.status == 0);
}

TEST_CASE("plugin files: a copy that is larger than a file may be ends a run with 5") {
    const ExperimentFolder folder;
    const ProcessResult result = run_limited(folder, {RLIMIT_FSIZE, 50'000});
    const std::string errors = std::regex_replace(without_folder(result.errors, folder.path()),
                                                  std::regex("[0-9a-f]{16}"), "HASH");
    CHECK(
        errors ==
        "ptprun: error: " + (installed() / "vision_tasks.so").string() +
            ": cannot be loaded (copy): its copy FOLDER/run/plugins/vision_tasks.1.HASH.so cannot "
            "be written: File too large\n    fix: raise the limit of the size of a file (ulimit -f)\n");
    CHECK(result.status == 5);
}

TEST_CASE("plugin files: other builds predict for a run whose copies are gone") {
    const ExperimentFolder folder;
    folder.write();
    require_success(folder.run("run", {"--quiet"}));
    fs::remove_all(folder.path() / "run/plugins");
    const std::string run = folder.run_folder("run");
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"predict", run, "--data", "test", "--quiet"},
          {"process", run, "--quiet"}}) {
        CAPTURE(words.front());
        const std::string errors = std::regex_replace(run_program("ptprun", words).errors,
                                                      std::regex("[0-9]\\.[0-9a-f]{16}"), "HASH");
        CHECK(without_folder(errors, folder.path()) ==
              "ptprun: error: FOLDER/run/plugins: general_models.HASH.so, losses.HASH.so, "
              "statistics.HASH.so, transforms.HASH.so and vision_tasks.HASH.so are missing: they "
              "are the builds that the run has used\n    fix: ptprun " +
                  words.front() + " FOLDER/run " +
                  (words.front() == "predict" ? "--data test " : "") + "--quiet --plugins " +
                  installed().string() + "\n");
        std::vector<std::string> fixed = words;
        fixed.insert(fixed.end(), {"--plugins", installed().string()});
        CHECK(run_program("ptprun", fixed).status == 0);
    }
}

}  // namespace plugin_files_test
