#include "ptp-runs/groups.hpp"

#include "../run/support.hpp"

#include <doctest/doctest.h>

namespace json_listing_test {

using namespace ptp::run;
using namespace ptp::runs;
using ptp::test::TempFolder;

TEST_CASE("json listing: it has all keys, with null where a run lacks the value") {
    const TempFolder folder;
    test::write_run(folder, "a", {.loss = "null", .lr = "0.1"});
    test::write_run(folder, "b", {.lr = "nan"});
    folder.write("b/status.json", "{");
    const ptp::Json list = listing_of(test::runs_in(folder));
    REQUIRE(list.size() == 2);
    const ptp::Json expected = ptp::Json::parse(R"({
        "run": "", "state": "done", "reason": "epoch limit", "exit_code": 0,
        "experiment": "tiny", "episode": 40, "epoch": 5, "seconds": 61.5,
        "began": "2026-11-21T08:00:00Z", "ended": "2026-11-21T08:01:02Z",
        "best": {"set": "validation", "episode": 23, "epoch": 3, "loss": null,
                 "statistics": {"loss": null, "accuracy": 0.9}},
        "last": {"set": "validation", "episode": 39, "epoch": 4, "loss": 0.75,
                 "statistics": {"loss": 0.75, "accuracy": 0.8}},
        "settings": {"training.optimizer.lr": 0.1}, "trial": null, "tags": [], "note": null,
        "problem": null})");
    ptp::Json first = list.at(0);
    CHECK(first.at("run") == (folder.path() / "a").string());
    first["run"] = "";
    CHECK(first == expected);
    CHECK(list.at(1).at("state") == "unreadable");
    CHECK(list.at(1).at("best").is_null());
    CHECK(list.at(1).at("settings").at("training.optimizer.lr") == "nan");
    CHECK(list.at(1).at("problem") == "status.json is broken");
}

}  // namespace json_listing_test
