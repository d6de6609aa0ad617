// WebDataset on shards that Python's tarfile wrote, and on damaged ones.

#include "refusal.hpp"
#include "support.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace web_dataset_test {

namespace {

namespace fs = std::filesystem;
using ptp::test::TempFolder;

// Two shards of four samples: sample n has a grey image of 10 n, the class n % 2 and the text
// "sample n".
fs::path shards() {
    return ptp::test::source_dir() / "plugins/vision_tasks/check/shards";
}

test::Component build(const fs::path& folder, const std::string& more = "") {
    return test::build("vision_tasks", "WebDataset",
                       "data_folder = \"" + folder.string() +
                           "\"\nresize_image = [1, 1]\nimage_depth = 1\nnum_classes = 2\n" + more);
}

std::string refusal(const fs::path& folder, const std::string& more = "") {
    return test::refusal(folder, [&] { build(folder, more); });
}

// Copies the first shard, with other content from this byte on.
void copy_changed(const TempFolder& folder, std::size_t at, const std::string& content,
                  std::size_t size = std::string::npos) {
    fs::copy_file(shards() / "part-0.tar", folder.path() / "whole");
    std::string bytes = folder.read("whole").replace(at, content.size(), content);
    folder.write("part-0.tar", bytes.substr(0, size));
}

}  // namespace

TEST_CASE("WebDataset: samples of all shards are read in any order") {
    auto task = build(shards(), "text = \"txt\"");
    REQUIRE(task.size() == 8);
    const test::Slots batch = task.fetch({6, 1, 3});
    CHECK(torch::allclose(batch.at("inputs").tensor().flatten() * 255,
                          test::floats({60, 10, 30}, {3})));
    CHECK(torch::equal(batch.at("targets").tensor(), test::integers({0, 1, 1})));
    CHECK(batch.at("texts").strings() ==
          std::vector<std::string>{"sample 6", "sample 1", "sample 3"});
    CHECK(batch.at("keys").strings() == std::vector<std::string>{"0006", "0001", "0003"});
}

TEST_CASE("WebDataset: shards come in the order of the patterns, and of a range") {
    CHECK(build(shards(), "shards = [\"part-1.tar\", \"part-0.tar\"]")
              .fetch({0, 4})
              .at("keys")
              .strings() == std::vector<std::string>{"0004", "0000"});
    CHECK(build(shards(), "shards = \"part-{0..1}.tar\"").size() == 8);
    CHECK(build(shards(), "shards = \"*-1.tar\"").size() == 4);
}

TEST_CASE("WebDataset: shards that are named and not there are refused by name") {
    CHECK(refusal(shards(), "shards = \"part-{1..3}.tar\"") ==
          "part-2.tar: no such shard, and `shards` names it\n"
          "part-3.tar: no such shard, and `shards` names it");
}

TEST_CASE("WebDataset: a range that is none is refused") {
    CHECK(refusal(shards(), "shards = \"part-{3..1}.tar\"") ==
          "shards: 'part-{3..1}.tar': {3..1} must be a range of numbers, such as {000..099}");
}

TEST_CASE("WebDataset: a damaged header is named with its place") {
    const TempFolder folder;
    copy_changed(folder, 1024 + 10, "x");  // the second header: that of 0000.cls
    CHECK(refusal(folder.path()) ==
          "part-0.tar: at byte 1024: is no header of a tar file, or a damaged one");
}

TEST_CASE("WebDataset: a shard that was cut off is named with its place") {
    const TempFolder folder;
    copy_changed(folder, 0, "", 1200);
    CHECK(refusal(folder.path()) ==
          "part-0.tar: at byte 1200: the file ends, 336 more bytes are expected");
}

TEST_CASE("WebDataset: a class that is none is named with its sample") {
    const TempFolder folder;
    copy_changed(folder, 1536, "7");  // the content of 0000.cls
    CHECK(refusal(folder.path()) ==
          "part-0.tar: at byte 1536: '0000': its class is '7', expected a number from 0 to 1");
}

TEST_CASE("WebDataset: a damaged image is named with its place when it is read") {
    const TempFolder folder;
    copy_changed(folder, 512, "nonsense");  // the content of 0000.png
    auto task = build(folder.path());
    CHECK(test::refusal(folder.path(), [&] { task.fetch({0}); }) ==
          "part-0.tar: at byte 512: '0000': is no JPEG, PNG, TIFF or WebP file");
}

}  // namespace web_dataset_test
