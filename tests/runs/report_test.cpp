// [report]: a training writes its report itself, and is the same training.

#include "runs/interrupted.hpp"
#include "runs/support.hpp"
#include "support/report_data.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace report_test {

using Json = nlohmann::ordered_json;
using ptp::test::ExperimentFolder;

namespace {

constexpr const char* kReport = "[report]\nevery_epochs = 1\n";

void check_same(const ExperimentFolder& folder, const std::string& one, const std::string& other) {
    for (const char* file :
         {"checkpoints/last/weights.safetensors", "training.csv", "validation.csv", "test.csv"}) {
        CAPTURE(file);
        CHECK(folder.read(one + "/" + file) == folder.read(other + "/" + file));
    }
}

}  // namespace

TEST_CASE("report: a training writes its own, of the whole run, with the bits of one without") {
    const ExperimentFolder folder;
    REQUIRE(folder.run("without").status == 0);
    CHECK(!folder.has("without/report.html"));
    folder.write({.pipeline = kReport});
    require_success(folder.run("with"));
    const auto again = ptp::test::run_program(
        "ptprun", {"report", folder.run_folder("with"), "-o", folder.run_folder("again.html")});
    REQUIRE(again.status == 0);
    CHECK((folder.read("with/report.html") == folder.read("again.html")));
    CHECK(!folder.has("with/report.log"));
    check_same(folder, "without", "with");
}

TEST_CASE("report: runs are compared by their bits, and by the weights that they began with") {
    const ExperimentFolder folder;
    for (const char* name : {"runs/one", "runs/two"}) {
        REQUIRE(folder.run(name).status == 0);
    }
    REQUIRE(folder.run("runs/parts", {"--stop-after", "1"}).status == 0);
    REQUIRE(ptp::test::resume(folder, "runs/parts").status == 0);
    const std::string bundle = folder.run_folder("one.ptpm");
    REQUIRE(ptp::test::run_program("ptprun", {"bundle", folder.run_folder("runs/one"), "-o", bundle,
                                              "--license", "MIT"})
                .status == 0);
    REQUIRE(folder.run("runs/tuned", {"--set", "pipeline.net.load=" + bundle}).status == 0);
    require_success(ptp::test::run_program(
        "ptprun", {"report", folder.run_folder("runs"), "-o", folder.run_folder("all.html")}));
    const Json data = Json::parse(ptp::test::data_of(folder.run_folder("all.html")));
    std::map<std::string, Json> origins;
    for (const Json& run : data.at("runs")) {
        for (const Json& section : run.at("sections")) {
            if (section.at("kind") == "origin") {
                origins[run.at("name")] = section;
            }
        }
    }
    const auto weights = [&](const std::string& name, int place) {
        const Json& all = origins.at(name).at("weights");
        CHECK(all.at(0).at("name") == "best");
        CHECK(all.at(1).at("name") == "last");
        const std::string sha256 = all.at(place).at("sha256");
        CHECK(folder
                  .read("runs/" + name + "/checkpoints/" +
                        all.at(place).at("checkpoint").get<std::string>() + "/SHA256SUMS")
                  .find(sha256 + "  weights.safetensors\n") != std::string::npos);
        return sha256;
    };
    for (const int place : {0, 1}) {
        CHECK(weights("two", place) == weights("one", place));
        CHECK(weights("parts", place) == weights("one", place));
        CHECK(weights("tuned", place) != weights("one", place));
    }
    CHECK(origins.at("one").at("processes").size() == 1);
    CHECK(origins.at("parts").at("processes").size() == 2);
    CHECK(origins.at("one").at("parents").empty());
    CHECK(origins.at("tuned").at("parents") ==
          Json::array({{{"sha256", weights("one", 0)}, {"component", "pipeline.net"}}}));
    const std::string line = origins.at("tuned").at("lines").at(0).at("text");
    CHECK_MESSAGE(line.starts_with("pipeline.net of one.ptpm: run one, epoch "), line);
    CHECK_MESSAGE(line.ends_with(", weights sha256 " + weights("one", 0).substr(0, 16)), line);
}

TEST_CASE("report: one that fails is a warning and changes nothing") {
    const ExperimentFolder folder;
    REQUIRE(folder.run("without").status == 0);
    folder.write({.pipeline = std::string(kReport) + "options = [\"--such\"]\n"});
    const auto failed = folder.run("failed");
    CHECK(failed.status == 0);
    CHECK(failed.errors.find("the report was not written, the training is as it is: ptp-report "
                             "ended with exit code 2: ") != std::string::npos);
    CHECK(failed.errors.find("; to write it: ptprun report " + folder.run_folder("failed")) !=
          std::string::npos);
    check_same(folder, "without", "failed");
}

TEST_CASE("report: the facts of the model are those of the first episode") {
    const ExperimentFolder folder;
    REQUIRE(folder.run("plain").status == 0);
    const Json facts = Json::parse(folder.read("plain/model.json"));
    CHECK(facts["format"] == 1);
    const std::int64_t samples = facts["samples"];
    CHECK(facts["streams"]["features"] == Json({samples, 4}));
    const auto net = std::ranges::find(
        facts["components"], "net", [](const Json& one) { return one["name"].get<std::string>(); });
    REQUIRE(net != facts["components"].end());
    std::int64_t numbers = 0;
    for (const Json& tensor : (*net)["tensors"]) {
        std::int64_t product = 1;
        for (const std::int64_t size : tensor["sizes"]) {
            product *= size;
        }
        numbers += product;
    }
    CHECK(numbers == 4 * 16 + 16 + 16 * 10 + 10);
    CHECK((*net)["multiply_adds"] == samples * (4 * 16 + 16 * 10));
    std::vector<std::string> used;
    for (const Json& operation : (*net)["operations"]) {
        for (const std::string name : operation["tensors"]) {
            used.push_back(name);
        }
    }
    CHECK(used.size() == 4);
}

TEST_CASE("report: a resumed run whose facts of the model are missing writes them again") {
    const ExperimentFolder folder;
    REQUIRE(folder.run("whole").status == 0);
    REQUIRE(folder.run("run", {"--stop-after", "1"}).status == 0);
    REQUIRE(std::filesystem::remove(folder.path() / "run/model.json"));
    REQUIRE(ptp::test::resume(folder, "run").status == 0);
    const Json facts = Json::parse(folder.read("run/model.json"));
    CHECK(facts["components"] == Json::parse(folder.read("whole/model.json"))["components"]);
    check_same(folder, "whole", "run");
}

TEST_CASE("report: the data of a run are recorded in its folder, of an experiment nowhere") {
    const ExperimentFolder folder;
    const std::string experiment = folder.write().string();
    REQUIRE(folder.run("plain").status == 0);
    const auto recorded = ptp::test::run_program(
        "ptprun", {"data", folder.run_folder("plain"), "--record", "--limit", "8"});
    CHECK(recorded.status == 0);
    CHECK(recorded.output == folder.run_folder("plain") + "/data.json: written\n");
    const Json data = Json::parse(folder.read("plain/data.json"));
    CHECK(data["format"] == 1);
    CHECK(data["sections"].size() == 3);
    CHECK(data["sections"][0]["read"] == 8);
    // A page and JSON are made besides; the record has no samples.
    const std::string page = (folder.path() / "data.html").string();
    const auto all = ptp::test::run_program(
        "ptprun", {"data", folder.run_folder("plain"), "--record", "--html", page, "--limit", "4"});
    CHECK(all.output ==
          folder.run_folder("plain") + "/data.json: written\n" + page + ": written\n");
    CHECK(folder.has("data.html"));
    CHECK(Json::parse(folder.read("plain/data.json"))["sections"][0]["shown"].empty());
    const auto printed = ptp::test::run_program(
        "ptprun", {"data", folder.run_folder("plain"), "--record", "--json", "--limit", "2"});
    CHECK(Json::parse(printed.output)["sections"][0]["read"] == 2);
    CHECK(Json::parse(folder.read("plain/data.json"))["sections"][0]["read"] == 2);
    const auto refused = ptp::test::run_program("ptprun", {"data", experiment, "--record"});
    CHECK(refused.status == 2);
    CHECK(refused.errors == "ptp-data: error: --record: '" + experiment +
                                "' is not a run\n    fix: name the folder of a run\n"
                                "    help: ptp-data --help\n");
}

TEST_CASE("report: values of layers and the facts of the model are taken of one episode") {
    const ExperimentFolder folder;
    REQUIRE(folder.run("plain").status == 0);
    folder.write({.pipeline = "[records.layer_values]\nevery_episodes = 1\n"});
    REQUIRE(folder.run("layers").status == 0);
    const Json plain = Json::parse(folder.read("plain/model.json"));
    const Json layers = Json::parse(folder.read("layers/model.json"));
    CHECK(plain["components"].size() == layers["components"].size());
    CHECK(plain["streams"] == layers["streams"]);
    check_same(folder, "plain", "layers");
}

}  // namespace report_test
