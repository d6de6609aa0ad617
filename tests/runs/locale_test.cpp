// The language of the environment: ssh forwards names of locales that the machine may not know.

#include "runs/support.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>

namespace locale_test {

using ptp::test::ExperimentFolder;

TEST_CASE("locale: a training has the same bits in any language, known or not") {
    const ExperimentFolder folder;
    const std::string experiment = folder.write().string();
    const std::map<std::string, std::map<std::string, std::string>> environments = {
        {"plain", {{"LC_ALL", "C"}}},
        {"german", {{"LC_ALL", "de_DE.UTF-8"}}},
        {"turkish", {{"LC_ALL", ""}, {"LANG", "tr_TR.UTF-8"}}},
        {"unknown", {{"LC_ALL", ""}, {"LC_CTYPE", "xx_YY"}, {"LC_NUMERIC", "xx_YY"}}}};
    for (auto [run, environment] : environments) {
        CAPTURE(run);
        environment["OMP_NUM_THREADS"] = "1";
        require_success(ptp::test::run_program(
            "ptprun", {experiment, "--run-dir", folder.run_folder(run)}, environment));
        require_success(ptp::test::run_program("ptp-inspect", {"NLLLoss"}, environment));
    }
    for (const char* run : {"german", "turkish", "unknown"}) {
        CAPTURE(run);
        CHECK(
            (folder.read(std::string(run) + "/training.csv") == folder.read("plain/training.csv")));
    }
}

}  // namespace locale_test
