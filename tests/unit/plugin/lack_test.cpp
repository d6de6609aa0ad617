// What is said where the system lacks descriptors or room: that it does, not that a plugin is bad.

#include "base/sha256.hpp"
#include "plugin/library_file.hpp"
#include "plugin/loader.hpp"
#include "plugin/open.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <string>

namespace lack_test {

namespace {

namespace fs = std::filesystem;
using namespace ptp;
using namespace ptp::plugin;

fs::path good_folder() {
    return ptp::test::build_dir() / "tests/plugins/good";
}

CatalogEntry good() {
    return scan({good_folder()}).plugins.at(0);
}

// The limit of this process, as long as the object lives.
class Limited {
public:
    Limited(int resource, rlim_t value) : resource_(resource) {
        std::signal(SIGXFSZ, SIG_IGN);
        REQUIRE(getrlimit(resource_, &before_) == 0);
        const rlimit limit{value, before_.rlim_max};
        REQUIRE(setrlimit(resource_, &limit) == 0);
    }
    ~Limited() { setrlimit(resource_, &before_); }
    Limited(const Limited&) = delete;
    Limited& operator=(const Limited&) = delete;

private:
    int resource_;
    rlimit before_{};
};

constexpr rlim_t kNoMoreFiles = 1;  // those that are open stay so
constexpr rlim_t kSmallFiles = 100;

template <class Work>
std::string lack_of(int resource, rlim_t limit, Work work) {
    const Limited limited(resource, limit);
    try {
        work();
    } catch (const LoadError& error) {
        return error.refused_for() == ptp::RefusedFor::kNow ? error.what() : "the plugin is blamed";
    } catch (const StageError& error) {
        return error.refused_for() == ptp::RefusedFor::kNow ? error.what() : "the plugin is blamed";
    } catch (const ResourceError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("lack: a copy that the system has no room or descriptor for") {
    const ptp::test::TempFolder temp;
    const CatalogEntry entry = good();
    const std::string path = entry.path.string();
    const std::string copy = (temp.path() / "plugins/good.1.").string() +
                             sha256_of_file(entry.path).substr(0, 16) + ".so";
    Loader loader(temp.path() / "plugins");
    const std::string too_large =
        path + ": cannot be loaded (copy): its copy " + copy +
        " cannot be written: File too large\n    fix: raise the limit of the size "
        "of a file (ulimit -f)";
    CHECK(lack_of(RLIMIT_FSIZE, kSmallFiles, [&] { loader.load(entry); }) == too_large);
    CHECK(lack_of(RLIMIT_FSIZE, kSmallFiles,
                  [&] { Loader(temp.path() / "plugins").copy(entry); }) == too_large);
    CHECK(lack_of(RLIMIT_NOFILE, kNoMoreFiles, [&] { loader.load(entry); }) ==
          path + ": cannot be loaded (copy): cannot be opened: Too many open files");
    CHECK(fs::is_empty(temp.path() / "plugins"));
}

TEST_CASE("lack: a copy without a free descriptor is refused with the limit to raise") {
    const ptp::test::TempFolder temp;
    PrivateCopies copies(temp.path());
    CHECK(
        lack_of(RLIMIT_NOFILE, kNoMoreFiles,
                [&] { copies.add("good", "content", std::string(64, 'a')); }) ==
        "its copy " + temp.path().string() +
            "/good.1.aaaaaaaaaaaaaaaa.so cannot be written: Too many open files\n    fix: raise the limit of "
            "open files (ulimit -n)");
}

TEST_CASE("lack: a build that is staged is refused for now") {
    const ptp::test::TempFolder temp;
    const CatalogEntry entry = good();
    PrivateCopies copies(temp.path());
    const auto stage_it = [&] {
        stage({.file = entry.path, .quiet = std::chrono::milliseconds(0)}, copies);
    };
    CHECK(lack_of(RLIMIT_NOFILE, kNoMoreFiles, stage_it) ==
          entry.path.string() +
              ": cannot be swapped in now (stage): cannot be opened: Too many open files");
    CHECK(
        lack_of(RLIMIT_FSIZE, kSmallFiles, stage_it) ==
        entry.path.string() + ": cannot be swapped in now (stage): its copy " +
            temp.path().string() + "/good.1." + sha256_of_file(entry.path).substr(0, 16) +
            ".so cannot be written: File too large\n    fix: raise the limit of the size of a file (ulimit "
            "-f)");
}

TEST_CASE("lack: a library that cannot be opened for want of a descriptor") {
    const fs::path file = good().path;
    CHECK(lack_of(RLIMIT_NOFILE, kNoMoreFiles, [&] { open_plugin(file); }) ==
          "cannot be opened: Too many open files");
}

TEST_CASE("lack: a scan gives no catalog of what it could not look at") {
    const fs::path folder = good_folder();
    CHECK(lack_of(RLIMIT_NOFILE, kNoMoreFiles, [&] { scan({folder}); }) ==
          folder.string() + ": cannot be searched: Too many open files");
    CHECK(lack_of(RLIMIT_NOFILE, kNoMoreFiles, [&] { scan({}, {folder / "good.so"}); }) ==
          (folder / "good.so").string() + ": cannot be opened: Too many open files");
}

}  // namespace lack_test
