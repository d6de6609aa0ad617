// What `ptp-pack key trust` reports where the folders of the user and of the machine both have
// limits.

#include "ptp-pack/trusted_keys.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <utility>

namespace trust_text_test {

namespace {

using ptp::pack::KeyLimits;
using ptp::pack::TrustChange;
using ptp::test::TempFolder;

constexpr const char* kId = "74EE58946A0D8F97";

// The two folders of keys, and a command that has written one of them.
class Keys {
public:
    void limit(const char* name, const std::string& package) const {
        folder_.write(std::string(name) + "/limits.toml",
                      "[" + std::string(kId) + "]\npackages = [\"" + package + "\"]\n");
    }

    // What trusting it in this folder reports, "T" for the path of both.
    [[nodiscard]] std::string text(const char* name, KeyLimits asked) const {
        const TrustChange change{.id = kId,
                                 .asked = std::move(asked),
                                 .before = {},
                                 .folder = folder_.path() / name,
                                 .folders = {folder_.path() / "user", folder_.path() / "system"}};
        std::string text = trust_text(change);
        const std::string path = folder_.path().string();
        if (const std::size_t at = text.find(path); at != std::string::npos) {
            text.replace(at, path.size(), "T");
        }
        return text;
    }

private:
    TempFolder folder_;
};

const KeyLimits kNone{};
const KeyLimits kGood{.packages = {"good"}, .repositories = {}};

}  // namespace

TEST_CASE("key trust: without limits in either folder a key is trusted for every package") {
    const Keys keys;
    CHECK(keys.text("user", kNone) == "trusted: 74EE58946A0D8F97\n");
    CHECK(keys.text("system", kNone) == "trusted: 74EE58946A0D8F97\n");
}

TEST_CASE("key trust: limits of the machine count where the user has none") {
    const Keys keys;
    keys.limit("system", "jane_*");
    CHECK(keys.text("user", kNone) ==
          "trusted: 74EE58946A0D8F97, for the packages jane_* alone, because T/system/limits.toml "
          "limits it; --package '*' is for every package\n");
    CHECK(keys.text("system", {.packages = {"jane_*"}, .repositories = {}}) ==
          "trusted: 74EE58946A0D8F97, for the packages jane_* alone\n");
}

TEST_CASE("key trust: limits of the user count before those of the machine") {
    const Keys keys;
    keys.limit("user", "good");
    keys.limit("system", "jane_*");
    CHECK(keys.text("user", kGood) == "trusted: 74EE58946A0D8F97, for the packages good alone\n");
    CHECK(
        keys.text("system", {.packages = {"jane_*"}, .repositories = {}}) ==
        "trusted: 74EE58946A0D8F97, for the packages jane_* alone; for this user for the packages "
        "good alone, because T/user/limits.toml limits it\n");
    CHECK(
        keys.text("system", kNone) ==
        "trusted: 74EE58946A0D8F97, for every package; for this user for the packages good alone, "
        "because T/user/limits.toml limits it\n");
}

}  // namespace trust_text_test
