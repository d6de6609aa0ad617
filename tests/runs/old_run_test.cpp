// Folders of runs that an older ptp began: what was another way then is still read.

#include "runs/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

namespace old_run_test {

using namespace ptp::test;

namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

// The cells of the column `epoch` one less.
std::string from_0(const std::string& table) {
    std::istringstream in(table);
    std::string made;
    std::string line;
    std::getline(in, line);
    made = line + "\n";
    const bool is_set = line.find("episodes_aggregated") != std::string::npos;
    while (std::getline(in, line)) {
        std::size_t place = line.find(',') + 1;
        place = is_set ? line.find(',', place) + 1 : place;
        --line[place];
        made += line + "\n";
    }
    return made;
}

void write(const fs::path& file, const std::string& text) {
    std::ofstream(file) << text;
}

// As the older ptp would have left it when it was killed in the third of three epochs of 6
// episodes.
void make_old(const fs::path& run) {
    fs::remove_all(run / "checkpoints" / "episode_0000000018");
    for (const char* link : {"last", "best"}) {
        fs::remove(run / "checkpoints" / link);
        fs::create_directory_symlink("episode_0000000012", run / "checkpoints" / link);
    }
    for (const char* table : {"training.csv", "training_epochs.csv", "validation.csv"}) {
        write(run / table, from_0(text_of(run / table)));
    }
    // Its checkpoints had the sizes of tables, and no hashes of them.
    const fs::path checkpoint = run / "checkpoints/episode_0000000012";
    write(checkpoint / "training.toml",
          std::regex_replace(text_of(checkpoint / "training.toml"),
                             std::regex("\"\\w+\\.csv\\.sha256\" = \"\\w+\"\n"), ""));
    REQUIRE(std::system(
                ("cd '" + checkpoint.string() + "' && sha256sum *.toml *.safetensors > SHA256SUMS")
                    .c_str()) == 0);
    for (const char* name : {"run.json", "status.json"}) {
        auto json = nlohmann::ordered_json::parse(text_of(run / name));
        REQUIRE(json.erase("format") == 1);
        if (json.contains("state")) {
            json["state"] = "running";
        }
        write(run / name, json.dump());
    }
}

}  // namespace

TEST_CASE("old run: its epochs are listed from 1") {
    const std::string folder = (ptp::test::source_dir() / "tests/golden/old_run").string();
    const ProcessResult result = run_program("ptprun", {"runs", folder, "--json"});
    require_success(result);
    const auto runs = nlohmann::json::parse(result.output);
    CHECK(runs[0]["best"]["epoch"] == 2);
    CHECK(runs[0]["last"]["epoch"] == 4);
    CHECK(runs[0]["epoch"] == 4);
}

TEST_CASE("old run: a resume continues in its tables as they were begun, and tells people from 1") {
    const ExperimentFolder folder({.has_test = false});
    REQUIRE(folder.run("run", {"--set", "checkpoint.keep=9"}).status == 0);
    const std::string rows = folder.read("run/training.csv");
    const std::string sets = folder.read("run/validation.csv");
    CHECK(nlohmann::json::parse(folder.read("run/status.json"))["format"] == 2);
    const fs::path run = folder.path() / "run";
    make_old(run);
    require_success(ptprun({"resume", run.string()}));
    CHECK((folder.read("run/training.csv") == from_0(rows)));
    CHECK((folder.read("run/validation.csv") == from_0(sets)));
    CHECK_FALSE(nlohmann::json::parse(folder.read("run/run.json")).contains("format"));
    const auto status = nlohmann::json::parse(folder.read("run/status.json"));
    CHECK(status["format"] == 2);
    CHECK(status["epoch"] == 3);
    CHECK(status["last"]["epoch"] == 3);
}

TEST_CASE("old run: its replay says that it draws other numbers") {
    const ExperimentFolder folder({.has_test = false});
    REQUIRE(folder.run("run", {"--set", "checkpoint.keep=9"}).status == 0);
    make_old(folder.path() / "run");
    const ProcessResult again =
        ptprun({"replay", folder.run_folder("run"), "--run-dir", folder.run_folder("again")});
    CHECK(again.status == 0);
    CHECK(again.errors.find("warning: the run was begun by an older ptp, in which all components "
                            "drew from one random generator: the replay draws other numbers\n") !=
          std::string::npos);
}

TEST_CASE("old run: one that a newer ptp began is refused by name") {
    const ExperimentFolder folder({.has_test = false});
    REQUIRE(folder.run("run").status == 0);
    const fs::path run = folder.path() / "run";
    auto record = nlohmann::ordered_json::parse(text_of(run / "run.json"));
    record["format"] = 3;
    write(run / "run.json", record.dump());
    auto status = nlohmann::ordered_json::parse(text_of(run / "status.json"));
    status["state"] = "running";
    write(run / "status.json", status.dump());
    const ProcessResult resumed = run_program("ptprun", {"resume", run.string()});
    CHECK(resumed.status == 2);
    CHECK(ptp::test::without_folder(resumed.errors, folder.path()) ==
          "ptprun: error: FOLDER/run/run.json: written by format 3; this ptprun reads up to 2\n"
          "    fix: use the ptprun that wrote it, or a newer one\n");
}

}  // namespace old_run_test
