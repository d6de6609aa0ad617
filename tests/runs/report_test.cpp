// [report]: a training writes its report itself, and is the same training.

#include "runs/support.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace report_test {

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
    folder.write();
    REQUIRE(folder.run("without").status == 0);
    CHECK(!folder.has("without/report.html"));
    folder.write({.pipeline = kReport});
    const auto result = folder.run("with");
    CHECK(result.errors == "");
    REQUIRE(result.status == 0);
    const auto again = ptp::test::run_program(
        "ptprun", {"report", folder.run_folder("with"), "-o", folder.run_folder("again.html")});
    REQUIRE(again.status == 0);
    CHECK((folder.read("with/report.html") == folder.read("again.html")));
    CHECK(!folder.has("with/report.log"));
    check_same(folder, "without", "with");
}

TEST_CASE("report: one that fails is a warning and changes nothing") {
    const ExperimentFolder folder;
    folder.write();
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

}  // namespace report_test
