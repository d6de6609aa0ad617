// Time passes only where a test lets it: waiting moves a clock, and does what happens meanwhile.

#include "plugin/staging.hpp"

#include "base/sha256.hpp"
#include "plugin/loader.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

namespace staging_test {

namespace {

namespace fs = std::filesystem;
using namespace ptp;
using namespace ptp::plugin;
using std::chrono::milliseconds;

std::string good_plugin() {
    const fs::path path = scan({ptp::test::build_dir() / "tests/plugins/good"}).plugins.at(0).path;
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class Setup {
public:
    // What happens with the n-th waiting, from 1 on.
    using Events = std::function<void(int)>;

    explicit Setup(Events events = [](int) {}) : events_(std::move(events)) {}

    std::optional<Staged> stage(StageRequest request) {
        request.file = file;
        PrivateCopies copies(folder.path() / "private");
        return ptp::plugin::stage(request, copies, clock());
    }

    // The message, and what it left in the private folder.
    std::string refusal(const StageRequest& request = {}) {
        try {
            stage(request);
            return "was staged";
        } catch (const StageError& error) {
            CHECK(left() == 0);
            std::string text = error.what();
            CHECK(text.starts_with(file.string() + ": cannot be swapped in "));
            CHECK(text.find(to_string(error.phase())) != std::string::npos);
            return text.substr(file.string().size() + 2);
        }
    }

    // The number of files in the private folder.
    std::ptrdiff_t left() const {
        std::error_code error;
        return std::distance(fs::directory_iterator(folder.path() / "private", error), {});
    }

    int waits = 0;
    milliseconds waited{0};
    ptp::test::TempFolder folder;
    fs::path file = folder.path() / "good.so";

private:
    StageClock clock() {
        return {.now = [this] { return Settling::TimePoint() + waited; },
                .wait =
                    [this](milliseconds time) {
                        waited += time;
                        events_(++waits);
                    }};
    }

    Events events_;
};

}  // namespace

TEST_CASE("staging: a whole file is copied, judged and ready to be loaded") {
    Setup setup;
    const std::string content = good_plugin();
    setup.folder.write("good.so", content);
    const auto staged = setup.stage({});
    REQUIRE(staged);
    CHECK(staged->source == setup.file);
    CHECK(staged->hash == sha256(content));
    CHECK(staged->copy.path ==
          setup.folder.path() / "private" / ("good.1." + staged->hash.substr(0, 16) + ".so"));
    CHECK(staged->copy.manifest.name == "good");
    CHECK(setup.waited == milliseconds(200));

    const Generation generation = Loader(setup.folder.path() / "private").load(staged->copy);
    CHECK(generation.file() == staged->copy.path);
    CHECK(generation.hash() == staged->hash);
    CHECK(setup.left() == 1);
}

TEST_CASE("staging: a file that is known to have settled is not waited for") {
    Setup setup;
    setup.folder.write("good.so", good_plugin());
    CHECK(setup.stage({.quiet = milliseconds(0)}));
    CHECK(setup.waits == 0);
}

TEST_CASE("staging: a file with the content of an active generation is left alone") {
    Setup setup;
    setup.folder.write("good.so", good_plugin());
    CHECK_FALSE(setup.stage({.active_hashes = {"other", sha256(good_plugin())}}));
    CHECK(setup.left() == 0);
    CHECK(setup.stage({.active_hashes = {"other"}}));
}

TEST_CASE("staging: a file that is just being written is waited for") {
    const std::string content = good_plugin();
    ptp::test::TempFolder* folder = nullptr;
    Setup setup([&](int wait) {
        if (wait <= 7) {
            folder->write("good.so", content.substr(0, content.size() * wait / 7));
        }
    });
    folder = &setup.folder;
    const auto staged = setup.stage({});
    REQUIRE(staged);
    CHECK(staged->hash == sha256(content));
    CHECK(setup.left() == 1);
    // Whole after 350 ms, and 200 ms more without a change.
    CHECK(setup.waited == milliseconds(550));
}

TEST_CASE("staging: a half-written file is waited for, and a missing one too") {
    const std::string content = good_plugin();
    ptp::test::TempFolder* folder = nullptr;
    Setup setup([&](int wait) {
        if (wait == 20) {
            fs::remove(folder->path() / "good.so");
        } else if (wait == 40) {
            folder->write("good.so", content);
        }
    });
    folder = &setup.folder;
    SUBCASE("half of it") {
        folder->write("good.so", content.substr(0, content.size() / 2));
    }
    SUBCASE("nothing in it") {
        folder->write("good.so", "");
    }
    SUBCASE("its size, with nothing in it yet") {
        folder->write("good.so", std::string(content.size(), '\0'));
    }
    SUBCASE("a part of its first word") {
        folder->write("good.so",
                      "\x7f"
                      "E");
    }
    const auto staged = setup.stage({});
    REQUIRE(staged);
    CHECK(staged->hash == sha256(content));
    CHECK(setup.left() == 1);
}

TEST_CASE("staging: a file that does not become whole is refused at the limit") {
    const std::string content = good_plugin();
    Setup setup;
    CHECK(
        setup.refusal() ==
        "cannot be swapped in (stage): no such file, and none came within 10 s\n    fix: build it, or name another");
    CHECK(setup.waited == milliseconds(10'000));

    setup.folder.write("good.so", "");
    CHECK(
        setup.refusal() ==
        "cannot be swapped in (stage): is empty, and was not whole within 10 s\n    fix: build it again");

    setup.folder.write("good.so", content.substr(0, 1000));
    CHECK(setup.refusal({.limit = milliseconds(500)}) ==
          "cannot be swapped in (stage): is cut off: its header promises " +
              std::to_string(content.size()) +
              " bytes, the file has 1000, and was not whole within 0.5 s\n    fix: build it again");
}

TEST_CASE("staging: a file that is written to all the time is refused at the limit") {
    ptp::test::TempFolder* folder = nullptr;
    Setup setup([&](int wait) { folder->write("good.so", std::string(wait, 'x')); });
    folder = &setup.folder;
    setup.folder.write("good.so", "");
    CHECK(
        setup.refusal() ==
        "cannot be swapped in (stage): was still written to after 10 s\n    fix: try again when its build "
        "is done");
}

TEST_CASE("staging: a file that cannot be read is refused at once") {
    Setup setup;
    fs::create_directory(setup.file);
    CHECK(
        setup.refusal({.quiet = milliseconds(0)}) ==
        "cannot be swapped in (stage): is a folder, not a file\n    fix: name a plugin's file that this "
        "user can read");
    CHECK(setup.waits == 0);
}

TEST_CASE("staging: a copy that cannot be written is refused at once") {
    Setup setup;
    setup.folder.write("good.so", good_plugin());
    const fs::path in_the_way = setup.folder.write("private", "");
    const std::string text =
        "cannot be swapped in now (stage): the folder " + in_the_way.string() +
        " for its copy cannot be made: Not a directory\n    fix: make room there, or make it writable";
    CHECK(setup.refusal({.quiet = milliseconds(0)}) == text);
}

TEST_CASE("staging: a whole file that is not a plugin is refused at once, and its copy removed") {
    Setup setup;
    setup.folder.write("good.so", "hello world\n");
    CHECK(
        setup.refusal({.quiet = milliseconds(0)}) ==
        "cannot be swapped in (inspect): is not an ELF file: it begins with 'hello w'\n    fix: build it with ptp_add_plugin()");
    CHECK(setup.waits == 0);

    const std::string symbol = "ptp_plugin_entry";
    std::string content = good_plugin();
    for (std::size_t at = content.find(symbol); at != std::string::npos;
         at = content.find(symbol, at)) {
        content[at] = 'q';
    }
    setup.folder.write("good.so", content);
    CHECK(setup.refusal({.quiet = milliseconds(0)}) ==
          "cannot be swapped in (inspect): is not a plugin: it does not export ptp_plugin_entry"
          "\n    fix: ptp_add_plugin() builds one from a source with PTP_PLUGIN()");
}

TEST_CASE("staging: what the waiting throws ends it, and nothing is left") {
    Setup setup([](int) { throw std::runtime_error("the training ends"); });
    setup.folder.write("good.so", good_plugin());
    CHECK_THROWS_WITH_AS(setup.stage({}), "the training ends", std::runtime_error);
    CHECK(setup.left() == 0);
}

TEST_CASE("staging: a link is followed") {
    Setup setup;
    setup.folder.write("build/real.so", good_plugin());
    fs::create_symlink("build/real.so", setup.file);
    const auto staged = setup.stage({});
    REQUIRE(staged);
    CHECK(staged->source == setup.file);
    CHECK_FALSE(fs::is_symlink(staged->copy.path));
}

TEST_CASE("staging: with the system's clock") {
    Setup setup;
    setup.folder.write("good.so", good_plugin());
    PrivateCopies copies(setup.folder.path() / "private");
    CHECK(ptp::plugin::stage({.file = setup.file, .quiet = milliseconds(0)}, copies));
}

}  // namespace staging_test
