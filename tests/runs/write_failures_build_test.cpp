// ptp-manifest in the build of a plugin, where one of the files that it writes cannot be written.

#include "runs/write_failures.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

namespace write_failures_build_test {

namespace fs = std::filesystem;

using namespace ptp::test;

namespace {

constexpr std::size_t kSealDigits = 64;

fs::path good() {
    return ptp::test::build_dir() / "tests/plugins/good/good.so";
}

// How a write can fail: at once, in the middle, and at each call.
std::vector<Refused> ways(const std::string& file) {
    return {{.files = file},
            {.files = file, .room = 30},
            {.files = file, .at = "open"},
            {.files = file, .at = "sync"},
            {.files = file, .at = "close"}};
}

void check_refused(const ProcessResult& result, const std::string& file) {
    CHECK(result.errors == "cannot write " + file + ": No space left on device\n");
    CHECK(result.output == "");
    CHECK(result.status == 2);
}

// The file of the good plugin, as it is before it is sealed.
std::string without_seal() {
    std::string content = TempFolder().read(good());
    const std::string owner("PTP\0", 4);
    // A note is three numbers, "PTP" and the content: the seal has 64 digits and is of type 2.
    const std::string head = std::string("\x04\0\0\0\x40\0\0\0\x02\0\0\0", 12) + owner;
    const std::size_t at = content.find(head);
    REQUIRE(at != std::string::npos);
    content.replace(at + head.size(), kSealDigits, kSealDigits, '0');
    return content;
}

}  // namespace

TEST_CASE("write failures: the source of a plugin's note is whole, or the file is what it was") {
    if (!ptp::test::can_refuse_writes()) {
        return;
    }
    const TempFolder temp;
    const fs::path source = temp.write("x.S", "before\n");
    const auto write = [&](const Refused& refused) {
        return run_program("ptp-manifest", {good().string(), source.string()}, refusing(refused));
    };
    for (const Refused& refused : ways(source.string() + ".new")) {
        CAPTURE(refused.room);
        CAPTURE(refused.at);
        check_refused(write(refused), source.string() + ".new");
        CHECK(temp.read("x.S") == "before\n");
        CHECK_FALSE(fs::exists(source.string() + ".new"));
    }
    check_refused(write({.files = source.string(), .at = "rename"}), source.string());
    CHECK(temp.read("x.S") == "before\n");
    CHECK_FALSE(fs::exists(source.string() + ".new"));
}

TEST_CASE("write failures: a plugin is sealed, or its file is what it was") {
    if (!ptp::test::can_refuse_writes()) {
        return;
    }
    const TempFolder temp;
    const std::string before = without_seal();
    const fs::path plugin = temp.write("good.so", before);
    constexpr auto kMode = fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec;
    fs::permissions(plugin, kMode);
    const auto seal = [&](const Refused& refused) {
        return run_program("ptp-manifest", {"--seal", plugin.string()}, refusing(refused));
    };
    for (const Refused& refused : ways(plugin.string() + ".new")) {
        CAPTURE(refused.room);
        CAPTURE(refused.at);
        check_refused(seal(refused), plugin.string() + ".new");
        CHECK((temp.read("good.so") == before));
        CHECK_FALSE(fs::exists(plugin.string() + ".new"));
    }
    check_refused(seal({.files = plugin.string(), .at = "rename"}), plugin.string());
    CHECK((temp.read("good.so") == before));
    require_success(seal({.files = ""}));
    CHECK((temp.read("good.so") == TempFolder().read(good())));
    CHECK(fs::status(plugin).permissions() == kMode);
}

}  // namespace write_failures_build_test
