// A process that is killed at any change of the file system leaves the old package or the new one.

#include "pack/support.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace interrupted_install_test {

namespace {

namespace fs = std::filesystem;
using ptp::test::Packed;
using ptp::test::PackUser;

constexpr int kKilled = 128 + 9;
constexpr int kMaxChanges = 300;

ptp::test::ProcessResult run_until(const PackUser& user, const std::vector<std::string>& words,
                                   int change) {
    return user.run(words, {{"LD_PRELOAD", PTP_KILL_AT_CHANGE},
                            {"PTP_TEST_KILL_BELOW", user.packages().string()},
                            {"PTP_TEST_KILL_AT", std::to_string(change)}});
}

// What ptprun would find: "", or the version of the package, whose files are as they were packed.
std::string state(const PackUser& user) {
    if (!fs::exists(user.packages() / "good")) {
        return "";
    }
    const auto result = user.run({"verify", "good"});
    CHECK(result.errors == "");
    return result.output.substr(0, result.output.find(':'));
}

bool is_sanitized(const ptp::test::ProcessResult& result) {
    return result.errors.find("ASan runtime") != std::string::npos;
}

}  // namespace

TEST_CASE("interrupted installs: a first installation leaves nothing, or the whole package") {
    const PackUser user;
    const std::string file = user.pack(Packed{}).string();
    std::set<std::string> states;
    int change = 1;
    for (; change < kMaxChanges; ++change) {
        fs::remove_all(user.packages());
        const auto result = run_until(user, {"install", file}, change);
        if (is_sanitized(result)) {
            return;
        }
        if (result.status == 0) {
            break;
        }
        CAPTURE(change);
        CHECK(result.status == kKilled);
        states.insert(state(user));
        // The next installation takes up from there.
        CHECK(user.run({"install", file}).status == 0);
        CHECK(state(user) == "good 1.0.0");
        CHECK(user.in_packages() == std::vector<std::string>{".lock", "good"});
    }
    CHECK(change > 20);
    CHECK(states == std::set<std::string>{"", "good 1.0.0"});
}

TEST_CASE("interrupted installs: an upgrade leaves the old version or the new one, each whole") {
    const PackUser user;
    const std::string one = user.pack(Packed{}).string();
    const std::string two = user.pack({.version = "2.0.0", .readme = "What it is now.\n"}).string();
    std::set<std::string> states;
    int change = 1;
    for (; change < kMaxChanges; ++change) {
        CHECK(user.run({"install", one, "--allow-downgrade"}).status == 0);
        const auto result = run_until(user, {"install", two}, change);
        if (is_sanitized(result)) {
            return;
        }
        if (result.status == 0) {
            break;
        }
        CAPTURE(change);
        CHECK(result.status == kKilled);
        states.insert(state(user));
    }
    CHECK(change > 20);
    CHECK(states == std::set<std::string>{"good 1.0.0", "good 2.0.0"});
    CHECK(user.in_packages() == std::vector<std::string>{".lock", "good"});
}

TEST_CASE("interrupted installs: a removal leaves the whole package, or nothing that is searched") {
    const PackUser user;
    const std::string file = user.pack(Packed{}).string();
    std::set<std::string> states;
    int change = 1;
    for (; change < kMaxChanges; ++change) {
        CHECK(user.run({"install", file}).status == 0);
        const auto result = run_until(user, {"remove", "good"}, change);
        if (is_sanitized(result)) {
            return;
        }
        if (result.status == 0) {
            break;
        }
        CAPTURE(change);
        CHECK(result.status == kKilled);
        states.insert(state(user));
    }
    CHECK(change > 5);
    CHECK(states == std::set<std::string>{"", "good 1.0.0"});
    CHECK(user.in_packages() == std::vector<std::string>{".lock"});
}

}  // namespace interrupted_install_test
