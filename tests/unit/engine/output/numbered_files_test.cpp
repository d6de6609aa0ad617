// Files that are named after episodes: which of them a resumed run keeps.

#include "engine/output/numbered_files.hpp"

#include "support/temp_folder.hpp"

#include <ATen/ops/zeros.h>
#include <doctest/doctest.h>

#include <set>

namespace numbered_files_test {

using ptp::Value;
using ptp::engine::NumberedFiles;
using ptp::test::TempFolder;

namespace {

std::set<std::string> names_in(const std::filesystem::path& folder) {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        names.insert(entry.path().filename());
    }
    return names;
}

void write(NumberedFiles& files, const std::string& prefix, std::uint64_t episode) {
    files.write(prefix, episode, {{"x", at::zeros({1})}}, {});
}

}  // namespace

TEST_CASE("numbered files: a resumed run keeps those that its checkpoint has, and other ones") {
    const TempFolder folder;
    NumberedFiles before(folder.path());
    before.begin(0);
    write(before, "validation", 5);
    const Value saved = before.save();
    write(before, "validation", 7);  // of the epoch that a limit has cut
    write(before, "test", 7);
    write(before, "mine", 3);
    NumberedFiles after(folder.path());
    after.restore(saved);
    after.begin(8);
    CHECK(names_in(folder.path()) ==
          std::set<std::string>{"mine_000003.safetensors", "validation_000005.safetensors"});
}

TEST_CASE("numbered files: a checkpoint without them keeps what is before its episode") {
    const TempFolder folder;
    NumberedFiles before(folder.path());
    before.begin(0);
    write(before, "validation", 5);
    write(before, "validation", 11);
    NumberedFiles after(folder.path());
    after.restore(Value::table());
    after.begin(6);
    CHECK(names_in(folder.path()) == std::set<std::string>{"validation_000005.safetensors"});
}

}  // namespace numbered_files_test
