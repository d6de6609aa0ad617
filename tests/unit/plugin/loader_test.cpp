#include "plugin/loader.hpp"

#include "base/sha256.hpp"
#include "base/temporary_path.hpp"
#include "plugin/note.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

#include <ptp/ext/task.h>

#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace loader_test {

using ptp::test::content_of;

namespace {

namespace fs = std::filesystem;
using namespace ptp;
using namespace ptp::plugin;

CatalogEntry good() {
    return scan({ptp::test::build_dir() / "tests/plugins/good"}).plugins.at(0);
}

// As its author would build it with another version: code and manifest say so, and are sealed.
std::string newer_good() {
    const ptp::test::TempFolder temp;
    std::string text = content_of(good().path);
    const std::string version = "1.2.3";
    for (std::size_t at = text.find(version); at != std::string::npos;
         at = text.find(version, at)) {
        text.replace(at, version.size(), "1.2.4");
    }
    const fs::path file = temp.write("good.so", text);
    seal_file(file);
    return content_of(file);
}

// Waiting moves it, and does what happens meanwhile.
StageClock clock_with(std::chrono::milliseconds& waited, std::function<void()> event) {
    return {.now = [&waited] { return Settling::TimePoint() + waited; },
            .wait =
                [&waited, event = std::move(event)](std::chrono::milliseconds time) {
                    waited += time;
                    event();
                }};
}

}  // namespace

TEST_CASE("loader: a generation gives access to the plugin's descriptions") {
    const ptp::test::TempFolder temp;
    const Generation generation = Loader(temp.path() / "plugins").load(good());
    CHECK(generation.manifest() == good().manifest);
    CHECK(std::string(generation.info().name) == "good");
    REQUIRE(generation.component("GoodTask") != nullptr);
    CHECK(generation.component("GoodTask")->kind == PTP_TASK);
    CHECK(generation.component("goodtask") == nullptr);
    CHECK(generation.component("GoodModel")->extension("ptp.mode/1") == nullptr);
}

TEST_CASE("loader: what is loaded is a copy, named by plugin, number and hash") {
    const ptp::test::TempFolder temp;
    const Generation generation = Loader(temp.path()).load(good());
    CHECK(generation.hash() == sha256(content_of(good().path)));
    CHECK(generation.file() == temp.path() / ("good.1." + generation.hash().substr(0, 16) + ".so"));
    CHECK(content_of(generation.file()) == content_of(good().path));
}

TEST_CASE("loader: the same file loaded twice is two images with variables of their own") {
    const ptp::test::TempFolder temp;
    Loader loader(temp.path());
    const Generation first = loader.load(good());
    const Generation second = loader.load(good());
    CHECK(first.hash() == second.hash());
    CHECK(first.file() != second.file());
    CHECK(&first.info() != &second.info());
}

TEST_CASE("loader: a name in the private folder is never used again") {
    const ptp::test::TempFolder temp;
    const Generation first = Loader(temp.path()).load(good());
    const Generation second = Loader(temp.path()).load(good());
    CHECK(first.file() != second.file());
    CHECK(&first.info() != &second.info());
}

TEST_CASE("loader: a plugin continues working when its copy has been removed") {
    auto folder = std::make_unique<ptp::TemporaryPath>(ptp::TemporaryPath::new_folder());
    const fs::path path = folder->path();
    const Generation generation = Loader(path).load(good());
    folder.reset();
    CHECK(!fs::exists(path));
    CHECK(std::string(generation.info().components[0]->name) == "GoodTask");
    CHECK(generation.component("GoodTask")->extension(PTP_EXTENSION_TASK) != nullptr);
}

TEST_CASE("loader: a file that has gone since the scan is named with the phase and the reason") {
    const ptp::test::TempFolder temp;
    const CatalogEntry entry{"/nowhere/good.so", good().manifest};
    CHECK_THROWS_WITH_AS(
        Loader(temp.path()).load(entry),
        "/nowhere/good.so: cannot be loaded (copy): cannot be opened: No such file or directory",
        LoadError);
}

TEST_CASE("loader: a file that has changed since the scan is refused, unless it was copied first") {
    const ptp::test::TempFolder temp;
    const fs::path file = temp.write("good.so", content_of(good().path));
    CatalogEntry entry = scan({temp.path()}).plugins.at(0);
    temp.write("good.so", newer_good());
    CHECK_THROWS_WITH_AS(Loader(temp.path() / "a").load(entry),
                         (file.string() + ": cannot be loaded (verify): has changed since it was "
                                          "found: version was \"1.2.3\" and is \"1.2.4\"")
                             .c_str(),
                         LoadError);

    Loader loader(temp.path() / "b");
    entry.manifest = loader.copy(entry);
    CHECK(entry.manifest.version == "1.2.4");
    fs::remove(file);
    const Generation generation = loader.load(entry);
    CHECK(generation.manifest().version == "1.2.4");
    CHECK(generation.hash() == sha256(newer_good()));
    CHECK(generation.file() ==
          temp.path() / "b" / ("good.1." + generation.hash().substr(0, 16) + ".so"));
}

TEST_CASE("loader: a file that is just being built is waited for") {
    const ptp::test::TempFolder temp;
    temp.write("good.so", content_of(good().path));
    const CatalogEntry entry = scan({temp.path()}).plugins.at(0);
    const std::string whole = newer_good();
    std::chrono::milliseconds waited{0};
    Loader loader(temp.path() / "private");
    SUBCASE("half of it is there") {
        temp.write("good.so", whole.substr(0, whole.size() / 2));
    }
    SUBCASE("it has been removed") {
        fs::remove(temp.path() / "good.so");
    }
    const Manifest manifest =
        loader.copy(entry, clock_with(waited, [&] { temp.write("good.so", whole); }));
    CHECK(manifest.version == "1.2.4");
    CHECK(waited == std::chrono::milliseconds(50));
}

TEST_CASE("loader: a file that does not become whole is refused after 10 seconds") {
    const ptp::test::TempFolder temp;
    const fs::path file = temp.write("good.so", content_of(good().path));
    const CatalogEntry entry = scan({temp.path()}).plugins.at(0);
    const std::string whole = newer_good();
    std::chrono::milliseconds waited{0};
    std::size_t size = 1000;
    const auto grow = [&] { temp.write("good.so", whole.substr(0, ++size)); };
    grow();
    Loader loader(temp.path() / "private");
    CHECK_THROWS_WITH_AS(
        static_cast<void>(loader.copy(entry, clock_with(waited, grow))),
        (file.string() + ": cannot be loaded (copy): is cut off: its header promises " +
         std::to_string(whole.size()) +
         " bytes, the file has 1201, and was not whole within 10 s\n    fix: build it again")
            .c_str(),
        LoadError);
    CHECK(waited == std::chrono::milliseconds(10'000));
    CHECK(fs::is_empty(temp.path() / "private"));
}

TEST_CASE("loader: a private folder that cannot be made is an error of the copy") {
    const ptp::test::TempFolder temp;
    const fs::path file = temp.write("file", "");
    try {
        Loader(file / "plugins").load(good());
        FAIL("was loaded");
    } catch (const LoadError& error) {
        CHECK(error.phase() == LoadPhase::kCopy);
        CHECK(std::string(error.what()).find((file / "plugins").string()) != std::string::npos);
    }
}

}  // namespace loader_test
