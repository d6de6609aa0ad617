// Changes are made while the watcher waits: what goes unnoticed keeps a test waiting until it is
// ended.

#include "plugin/watch.hpp"

#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace watch_test {

namespace {

namespace fs = std::filesystem;
using namespace ptp;
using namespace ptp::plugin;
using std::chrono::milliseconds;
using Paths = std::vector<fs::path>;

constexpr std::chrono::hours kLong{24};
constexpr milliseconds kNow{0};

WatchOptions quick() {
    return {.quiet = milliseconds(1), .interval = milliseconds(1)};
}

// Whether a thread of this process sleeps in a system call.
bool sleeps(pid_t thread) {
    std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    return text.substr(text.rfind(')'), 3) == ") S";
}

// What a poll() returns that is waiting when the change is made.
Paths poll_during(Watcher& watcher, const std::function<void()>& change,
                  milliseconds timeout = kLong) {
    const pid_t poller = ::gettid();
    std::thread other([&] {
        while (!sleeps(poller)) {
            std::this_thread::yield();
        }
        change();
    });
    Paths changed = watcher.poll(timeout);
    other.join();
    return changed;
}

}  // namespace

TEST_CASE("watch: a file that is written to is reported once") {
    const ptp::test::TempFolder temp;
    const fs::path a = temp.write("a.so", "1");
    const fs::path b = temp.write("b.so", "1");
    Watcher watcher({a, b}, quick());
    CHECK(watcher.poll(kNow).empty());
    CHECK(poll_during(watcher, [&] { temp.write("b.so", "22"); }) == Paths{b});
    CHECK(watcher.poll(kNow).empty());
    CHECK(poll_during(watcher, [&] { temp.write("a.so", "22"); }) == Paths{a});
}

TEST_CASE("watch: a file is reported when its data change, come or go") {
    const ptp::test::TempFolder temp;
    const fs::path file = temp.write("a.so", "1");
    temp.write("b.data/words.txt", "of another plugin");
    temp.write("made/words.txt", "1");
    temp.write("made/deep/er/more.txt", "1");
    Watcher watcher({file}, quick());
    CHECK(watcher.poll(kNow).empty());
    const auto renames = [&](const char* from, const char* to) {
        return [&temp, from, to] { fs::rename(temp.path() / from, temp.path() / to); };
    };
    CHECK(poll_during(watcher, renames("made", "a.data")) == Paths{file});
    CHECK(watcher.poll(kNow).empty());
    temp.write("new", "22");
    CHECK(poll_during(watcher, renames("new", "a.data/words.txt")) == Paths{file});
    temp.write("new", "22");
    CHECK(poll_during(watcher, renames("new", "a.data/deep/er/most.txt")) == Paths{file});
    CHECK(poll_during(watcher, [&] { fs::remove(temp.path() / "a.data/deep/er/more.txt"); }) ==
          Paths{file});
    CHECK(poll_during(watcher, renames("a.data", "gone")) == Paths{file});
    temp.write("b.data/words.txt", "changed");
    CHECK(watcher.poll(kNow).empty());
}

TEST_CASE("watch: a file that is replaced, as builds do it, is reported") {
    const ptp::test::TempFolder temp;
    const fs::path file = temp.write("a.so", "1");
    Watcher watcher({file}, quick());
    std::function<void()> change;
    SUBCASE("by a rename") {
        change = [&] { fs::rename(temp.write("new", "2"), file); };
    }
    SUBCASE("by a rename from another folder") {
        change = [&] { fs::rename(temp.write("elsewhere/new", "2"), file); };
    }
    SUBCASE("by removal and creation") {
        change = [&] {
            fs::remove(file);
            temp.write("a.so", "22");
        };
    }
    SUBCASE("by the same content") {
        change = [&] { fs::rename(temp.write("new", "1"), file); };
    }
    CHECK(poll_during(watcher, change) == Paths{file});
    CHECK(watcher.poll(kNow).empty());
}

TEST_CASE("watch: a file that is removed is not reported before it is there again") {
    const ptp::test::TempFolder temp;
    const fs::path file = temp.write("a.so", "1");
    Watcher watcher({file}, quick());
    fs::remove(file);
    CHECK(watcher.poll(milliseconds(5)).empty());
    CHECK(poll_during(watcher, [&] { temp.write("a.so", "22"); }) == Paths{file});
}

TEST_CASE("watch: a file that is not there yet is reported when it comes") {
    const ptp::test::TempFolder temp;
    const fs::path file = temp.path() / "a.so";
    Watcher watcher({file}, quick());
    CHECK(poll_during(watcher, [&] { temp.write("a.so", "1"); }) == Paths{file});
}

TEST_CASE("watch: the target of a link is watched, and a changed link is followed") {
    const ptp::test::TempFolder temp;
    const fs::path link = temp.path() / "plugins" / "a.so";
    temp.write("build/a.so", "1");
    temp.write("other/a.so", "1");
    fs::create_directory(link.parent_path());
    fs::create_symlink(temp.path() / "middle.so", link);
    fs::create_symlink("build/a.so", temp.path() / "middle.so");
    Watcher watcher({link}, quick());

    CHECK(poll_during(watcher, [&] { temp.write("build/a.so", "22"); }) == Paths{link});
    CHECK(poll_during(watcher, [&] {
              fs::remove(temp.path() / "middle.so");
              fs::create_symlink("other/a.so", temp.path() / "middle.so");
          }) == Paths{link});
    temp.write("build/a.so", "333");
    CHECK(watcher.poll(kNow).empty());
    CHECK(poll_during(watcher, [&] { temp.write("other/a.so", "22"); }) == Paths{link});
}

TEST_CASE("watch: other files of the folder do not count") {
    const ptp::test::TempFolder temp;
    const fs::path file = temp.write("a.so", "1");
    Watcher watcher({file}, quick());
    const auto others = [&] {
        temp.write("a.so.new", "1");
        temp.write("b.so", "1");
    };
    CHECK(poll_during(watcher, others, milliseconds(5)).empty());
}

TEST_CASE("watch: a folder that is replaced by another is found") {
    const ptp::test::TempFolder temp;
    const fs::path file = temp.write("build/a.so", "1");
    Watcher watcher({file}, quick());
    fs::remove_all(temp.path() / "build");
    CHECK(watcher.poll(milliseconds(5)).empty());
    temp.write("build/a.so", "22");
    CHECK(watcher.poll(kLong) == Paths{file});
}

TEST_CASE("watch: the default of both times is what the options say") {
    CHECK(WatchOptions().quiet == milliseconds(200));
    CHECK(WatchOptions().interval == milliseconds(250));
}

TEST_CASE("watch: a file that continues changing is not reported before it is stable") {
    const ptp::test::TempFolder temp;
    const fs::path file = temp.write("a.so", "1");
    WatchOptions options = quick();
    options.quiet = std::chrono::hours(1);
    Watcher watcher({file}, options);
    temp.write("a.so", "22");
    CHECK(watcher.poll(milliseconds(5)).empty());
}

TEST_CASE("watch: stop() ends a poll that waits, and all later ones") {
    const ptp::test::TempFolder temp;
    const fs::path file = temp.write("a.so", "1");
    Watcher watcher({file}, {.interval = std::chrono::hours(1)});
    CHECK(poll_during(
              watcher, [&] { watcher.stop(); }, milliseconds::max())
              .empty());
    temp.write("a.so", "22");
    CHECK(watcher.poll(kLong).empty());
}

TEST_CASE(
    "watch: a file is looked at again before the next look is due, when it may have settled") {
    const ptp::test::TempFolder temp;
    const fs::path file = temp.write("a.so", "1");
    Watcher watcher({file}, {.quiet = milliseconds(1), .interval = std::chrono::hours(1)});
    temp.write("a.so", "22");
    CHECK(watcher.poll(kLong) == Paths{file});
}

}  // namespace watch_test
