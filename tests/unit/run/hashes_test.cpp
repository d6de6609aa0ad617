#include "run/hashes.hpp"

#include "base/error.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

namespace hashes_test {

namespace fs = std::filesystem;

using ptp::RunError;
using ptp::run::check_hashes;
using ptp::run::write_hashes;
using ptp::test::TempFolder;

namespace {

// Takes all descriptors that this process may have, for as long as it lives.
class NoDescriptors {
public:
    NoDescriptors() {
        for (int taken = open("/dev/null", O_RDONLY); taken >= 0;
             taken = open("/dev/null", O_RDONLY)) {
            taken_.push_back(taken);
        }
    }
    ~NoDescriptors() {
        for (const int taken : taken_) {
            close(taken);
        }
    }
    NoDescriptors(const NoDescriptors&) = delete;
    NoDescriptors& operator=(const NoDescriptors&) = delete;

    void give_back(int count) {
        for (int i = 0; i < count; ++i) {
            close(taken_.back());
            taken_.pop_back();
        }
    }

private:
    std::vector<int> taken_;
};

struct Failure {
    int code = 0;
    std::string text;
};

template <class Work>
Failure failure_of(Work work) {
    try {
        work();
    } catch (const RunError& error) {
        return {error.code(), error.what()};
    }
    return {};
}

}  // namespace

TEST_CASE("hashes: a list is written of all files, or not at all") {
    const TempFolder folder;
    folder.write("a", "abc");
    fs::create_directory(folder.path() / "b");
    const Failure failure = failure_of([&] { write_hashes(folder.path()); });
    CHECK(failure.code == ptp::kTrainingError);
    CHECK(failure.text ==
          (folder.path() / "b").string() + ": the checkpoint is not saved: it is not a file");
    CHECK_FALSE(fs::exists(folder.path() / "SHA256SUMS"));
}

TEST_CASE("hashes: without descriptors a checkpoint is not saved, and none is damaged") {
    const TempFolder folder;
    folder.write("a", "abc");
    {
        NoDescriptors none;
        const Failure failure = failure_of([&] { write_hashes(folder.path()); });
        CHECK(failure.code == ptp::kTrainingError);
        CHECK(failure.text == "cannot read " + folder.path().string() + ": Too many open files");
        CHECK_FALSE(fs::exists(folder.path() / "SHA256SUMS"));
    }
    write_hashes(folder.path());
    NoDescriptors none;
    const Failure failure = failure_of([&] { check_hashes(folder.path()); });
    CHECK(failure.code == ptp::kTrainingError);
    CHECK(failure.text ==
          "cannot read " + (folder.path() / "SHA256SUMS").string() + ": Too many open files");
    none.give_back(1);
    check_hashes(folder.path());
}

}  // namespace hashes_test
