// Reports of long and of many runs: how large the file is, how much memory it needs, and that it is
// whole. How long it takes is in tests/bench/report_pages.py.

#include "support/peak_memory.hpp"
#include "support/report_data.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

namespace report_size_test {

namespace {

using nlohmann::json;
using namespace ptp::test;

constexpr int kCurves = 100;
constexpr int kPoints = 100000;
constexpr int kRuns = 1000;

// In this row alone curve c has the number c + 5, which no other reaches.
int peak_of(int curve) {
    return 997 * (curve + 1);
}

std::string curves() {
    std::string rows = "episode,epoch";
    for (int curve = 0; curve < kCurves; ++curve) {
        rows += ",curve_" + std::to_string(curve);
    }
    rows += "\n";
    std::uint64_t state = 1;
    for (int point = 0; point < kPoints; ++point) {
        rows += std::to_string(point) + ",1";
        for (int curve = 0; curve < kCurves; ++curve) {
            state = state * 6364136223846793005U + 1442695040888963407U;  // Knuth's
            rows += point == peak_of(curve)
                        ? "," + std::to_string(curve + 5) + ".5"
                        : ",0." + std::to_string(100000 + (state >> 33U) % 900000);
        }
        rows += "\n";
    }
    return rows;
}

void write_run(const TempFolder& folder, const std::string& name, int number) {
    const double loss = 1 / (1.0 + number);
    folder.write(name + "/experiment.toml",
                 "name = \"net\"\nseed = 1\n[training.optimizer]\nlr = " +
                     std::to_string(0.001 * (number + 1)) + "\n");
    folder.write(name + "/status.json", json({{"format", 2},
                                              {"state", "done"},
                                              {"episode", 2},
                                              {"epoch", 1},
                                              {"seconds", 1.5},
                                              {"best",
                                               {{"set", "validation"},
                                                {"episode", 1},
                                                {"epoch", 1},
                                                {"loss", loss},
                                                {"statistics", {{"accuracy", 1 - loss}}}}}})
                                            .dump());
    folder.write(name + "/run.json", R"({"format": 2, "experiment": "net", "plugins": []})");
}

// Each curve has at most four points a bucket, its highest one and its last among them.
void check_curves(const json& data, std::size_t buckets) {
    const json& sections = data.at("runs").at(0).at("sections");
    const auto shown = std::ranges::find_if(
        sections, [](const json& section) { return section.at("kind") == "curves"; });
    REQUIRE(shown != sections.end());
    REQUIRE(shown->at("curves").size() == kCurves);
    for (int number = 0; number < kCurves; ++number) {
        const json& curve = shown->at("curves").at(static_cast<std::size_t>(number));
        CAPTURE(curve.at("statistic").dump());
        CHECK(curve.at("statistic") == "curve_" + std::to_string(number));
        CHECK(curve.at("rows") == kPoints);
        CHECK(curve.at("values").size() <= 4 * buckets);
        REQUIRE(curve.at("values").size() == curve.at("episodes").size());
        int episode = 0;
        int peak_at = -1;
        for (std::size_t i = 0; i < curve.at("values").size(); ++i) {
            episode += curve.at("episodes").at(i).get<int>();  // they are differences
            peak_at = curve.at("values").at(i) == number + 5.5 ? episode : peak_at;
        }
        CHECK(episode == kPoints - 1);
        CHECK(peak_at == peak_of(number));
    }
}

}  // namespace

TEST_CASE("ptprun report: 100 curves of 100,000 points are in 6 MB, with their extremes") {
    const TempFolder folder;
    write_run(folder, "net", 0);
    folder.write("net/training.csv", curves());
    const std::string page = (folder.path() / "net.html").string();
    const double peak =
        peak_memory("ptprun", {"report", (folder.path() / "net").string(), "-o", page});
    MESSAGE("memory: ", peak / 1e6,
            " MB, file: ", static_cast<double>(std::filesystem::file_size(page)) / 1e6, " MB");
    CHECK(std::filesystem::file_size(page) < 6000000);
    CHECK(peak < 400e6);
    const json data = json::parse(data_of(page));
    CHECK(data.at("note") == "");
    check_curves(data, 2000);
}

TEST_CASE("ptprun report: a file that would be too large has fewer points, and states it") {
    const TempFolder folder;
    write_run(folder, "net", 0);
    folder.write("net/training.csv", curves());
    const std::string run = (folder.path() / "net").string();
    const std::string page = (folder.path() / "net.html").string();
    require_success(run_program("ptprun", {"report", run, "-o", page, "--max-size", "2"}));
    CHECK(std::filesystem::file_size(page) <= 2000000);
    const json data = json::parse(data_of(page));
    CHECK(data.at("note") ==
          "curves are thinned to 500 buckets of four points, images to 1024 KiB a run, and lists "
          "of samples to 5000, to keep the file below 2 MB");
    check_curves(data, 500);
}

TEST_CASE("ptprun report: 1,000 runs are compared in one table, the best first") {
    const TempFolder folder;
    for (int number = 0; number < kRuns; ++number) {
        const std::string name = "runs/" + std::to_string(number);
        write_run(folder, name, number);
        folder.write(name + "/training.csv", "episode,epoch,loss\n0,1,1\n1,1,0.5\n");
    }
    const std::string page = (folder.path() / "all.html").string();
    const double peak =
        peak_memory("ptprun", {"report", (folder.path() / "runs").string(), "-o", page});
    MESSAGE("memory: ", peak / 1e6,
            " MB, file: ", static_cast<double>(std::filesystem::file_size(page)) / 1e6, " MB");
    CHECK(std::filesystem::file_size(page) < 2000000);
    CHECK(peak < 400e6);
    const json data = json::parse(data_of(page));
    REQUIRE(data.at("runs").size() == kRuns);
    REQUIRE(data.at("listing").size() == kRuns);
    std::set<std::string> names;
    for (int place = 0; place < kRuns; ++place) {
        const auto at = static_cast<std::size_t>(place);
        names.insert(data.at("runs").at(at).at("name").get<std::string>());
        // The loss falls with the number.
        CHECK(data.at("runs").at(at).at("name") == std::to_string(kRuns - 1 - place));
        CHECK(data.at("listing").at(at).at("best").at("loss") == 1 / (1.0 + kRuns - 1 - place));
        CHECK(data.at("listing").at(at).at("settings").contains("training.optimizer.lr"));
    }
    CHECK(names.size() == kRuns);
}

}  // namespace report_size_test
