#include "plugin/crash_memory.hpp"

#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace crash_memory_test {

namespace {

namespace fs = std::filesystem;
using ptp::plugin::CrashMemory;
using ptp::plugin::Tried;
using ptp::plugin::TriedWork;
using ptp::test::TempFolder;

const std::string kHash(64, 'a');
const std::string kOtherHash(64, 'b');

Tried crash(const std::string& hash = kHash) {
    return {.hash = hash,
            .plugin = "net",
            .file = "/x/net.so",
            .end = "ended by signal 11 (Segmentation fault)",
            .signal = 11,
            .step = "its start-up code or its entry"};
}

}  // namespace

TEST_CASE("crash memory: what was remembered is there for the next process") {
    const TempFolder temp;
    const fs::path file = temp.path() / "cache/ptp/plugins.json";
    CrashMemory memory(file);
    CHECK(memory.empty());
    CHECK(memory.remember(crash()) == "");
    const CrashMemory next(file);
    CHECK(next.problem() == "");
    const Tried* const found = next.find(kHash);
    REQUIRE(found != nullptr);
    CHECK(found->plugin == "net");
    CHECK(found->file == "/x/net.so");
    CHECK(found->work == TriedWork::kLoading);
    CHECK(found->signal == 11);
    CHECK(found->when.size() == 20);
    CHECK(
        found->text() ==
        "loading it ended by signal 11 (Segmentation fault) in its start-up code or its entry on " +
            found->when.substr(0, 10));
    CHECK(next.find(kOtherHash) == nullptr);
}

TEST_CASE("crash memory: the last attempt counts, and one can be forgotten") {
    const TempFolder temp;
    const fs::path file = temp.path() / "plugins.json";
    CrashMemory memory(file);
    CHECK(memory.forget(kHash) == "");
    CHECK_FALSE(fs::exists(file));
    CHECK(memory.remember(crash()) == "");
    CHECK(memory.remember({.hash = kHash, .plugin = "net"}) == "");
    CHECK(CrashMemory(file).find(kHash)->end == "");
    CHECK(memory.remember(crash(kOtherHash)) == "");
    CHECK(memory.forget(kHash) == "");
    CHECK(CrashMemory(file).find(kHash) == nullptr);
    CHECK(CrashMemory(file).find(kOtherHash) != nullptr);
}

TEST_CASE("crash memory: another host begins anew") {
    const TempFolder temp;
    const fs::path file = temp.path() / "plugins.json";
    CHECK(CrashMemory(file).remember(crash()) == "");
    auto json = nlohmann::json::parse(temp.read("plugins.json"));
    CHECK(json["plugins"][0]["host"] == ptp::plugin::host_text());
    json["plugins"][0]["host"] = "ptp 0.0.9, ABI 1.0, libtorch 1.0";
    temp.write("plugins.json", json.dump());
    CrashMemory memory(file);
    CHECK(memory.problem() == "");
    CHECK(memory.find(kHash) == nullptr);
    CHECK(memory.remember(crash()) == "");
    CHECK(nlohmann::json::parse(temp.read("plugins.json"))["plugins"].size() == 2);
}

TEST_CASE("crash memory: a damaged file is reported, and the next attempt replaces it") {
    const TempFolder temp;
    const fs::path file = temp.path() / "plugins.json";
    const struct {
        std::string text;
        const char* problem;
    } cases[] = {
        {"", "is not JSON"},
        {"{\"format\": 1, \"plugins\": [", "is not JSON"},
        {"[]", "is not JSON"},
        {"{}", "has format 0, this ptp has 1"},
        {"{\"format\": 2, \"plugins\": []}", "has format 2, this ptp has 1"},
        {"{\"format\": \"1\"}", "has an entry that is not what ptp writes"},
        {"{\"format\": 1}", "has an entry that is not what ptp writes"},
        {"{\"format\": 1, \"plugins\": [{\"sha256\": 3}]}",
         "has an entry that is not what ptp writes"},
        {"{\"format\": 1, \"plugins\": [{\"sha256\": \"xyz\"}]}",
         "has an entry that is not what ptp writes"},
        {"{\"format\": 1, \"plugins\": [7]}", "has an entry that is not what ptp writes"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        temp.write("plugins.json", c.text);
        CrashMemory memory(file);
        CHECK(memory.problem() == file.string() + ": " + c.problem +
                                      "; what it has of plugins that crashed is forgotten");
        CHECK(memory.empty());
        CHECK(memory.remember(crash()) == "");
        CHECK(CrashMemory(file).problem() == "");
        CHECK(CrashMemory(file).find(kHash) != nullptr);
    }
}

TEST_CASE("crash memory: those that write at the same time lose nothing of each other") {
    const TempFolder temp;
    const fs::path file = temp.path() / "plugins.json";
    constexpr int kWriters = 4;
    constexpr int kEach = 5;
    const auto hash_of = [](int writer, int number) {
        std::string hash = std::to_string(writer * kEach + number);
        return hash + std::string(64 - hash.size(), 'c');
    };
    {
        // The lock is of an open file: it holds between threads as it does between processes.
        std::vector<std::jthread> writers;
        for (int writer = 0; writer < kWriters; ++writer) {
            writers.emplace_back([&, writer] {
                for (int i = 0; i < kEach; ++i) {
                    CrashMemory(file).remember(crash(hash_of(writer, i)));
                }
            });
        }
    }
    const CrashMemory memory(file);
    CHECK(memory.problem() == "");
    for (int writer = 0; writer < kWriters; ++writer) {
        for (int i = 0; i < kEach; ++i) {
            CHECK(memory.find(hash_of(writer, i)) != nullptr);
        }
    }
}

TEST_CASE("crash memory: where nothing can be written, that is returned and not thrown") {
    const TempFolder temp;
    temp.write("file", "");
    CrashMemory memory(temp.path() / "file/plugins.json");
    CHECK(memory.remember(crash()) != "");
    CrashMemory none{fs::path()};
    CHECK(none.remember(crash()) == "neither XDG_CACHE_HOME nor HOME is an absolute path");
    CHECK(none.empty());
}

TEST_CASE("crash memory: its file is below XDG_CACHE_HOME, or else below HOME") {
    using ptp::plugin::memory_file;
    CHECK(memory_file("/cache", "/home/ada") == "/cache/ptp/plugins.json");
    CHECK(memory_file("", "/home/ada") == "/home/ada/.cache/ptp/plugins.json");
    CHECK(memory_file("cache", "/home/ada") == "/home/ada/.cache/ptp/plugins.json");
    CHECK(memory_file("", "").empty());
}

}  // namespace crash_memory_test
