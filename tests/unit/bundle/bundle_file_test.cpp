// Bundles are written, read, and laid out like the folder of a run.

#include "support.hpp"

#include "base/error.hpp"
#include "bundle/show.hpp"
#include "experiment/weights_file.hpp"
#include "run/hashes.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <iterator>
#include <string>

namespace bundle_file_test {

namespace fs = std::filesystem;

using ptp::bundle::BundleFile;
using namespace ptp::test;

TEST_CASE("bundle: equal contents become equal bytes, which another writer of tar has too") {
    CHECK(small_bundle() == small_bundle());
    CHECK(tar_of(small_entries()) == small_bundle());
    CHECK(refusal_of(small_bundle()) == "");
}

TEST_CASE("bundle: what is written is read again, the weights last") {
    const TempFolder folder;
    const BundleFile file(folder.write("x.ptpm", small_bundle()));
    CHECK(file.manifest().files.back().path == "checkpoints/best/weights.safetensors");
    CHECK(file.read("experiment.toml") == "name = \"small\"\n");
    CHECK(file.has("files/0_words.txt"));
    CHECK_FALSE(file.has("README.md"));
    const ptp::bundle::BundleManifest& manifest = file.manifest();
    CHECK(manifest.plugins == small_manifest().plugins);
    CHECK(manifest.streams == small_manifest().streams);
    CHECK(manifest.data == small_manifest().data);
    CHECK(manifest.lineage == small_manifest().lineage);
    REQUIRE(manifest.metrics.size() == 1);
    CHECK(manifest.metrics[0].loss == 0.25);
    CHECK(text_of(manifest) == small_entries().front().content);
}

TEST_CASE("bundle: its weights are found in it without copying them") {
    const TempFolder folder;
    const fs::path path = folder.write("x.ptpm", small_bundle());
    CHECK(ptp::experiment::is_bundle(path));
    const ptp::experiment::WeightsBytes bytes = ptp::experiment::weights_bytes(path);
    CHECK(bytes.offset % 512 == 0);
    CHECK(small_bundle().substr(bytes.offset, bytes.size) == "the weights");
    CHECK_FALSE(ptp::experiment::is_bundle(folder.write("y", "manifest.toml")));
}

TEST_CASE("bundle: laid out, it is a checkpoint whose hashes are right") {
    const TempFolder folder;
    const ptp::bundle::OpenedBundle opened(folder.write("x.ptpm", small_bundle()));
    const fs::path checkpoint = opened.folder() / "checkpoints/best";
    CHECK(fs::is_symlink(checkpoint / "weights.safetensors"));
    CHECK(ptp::bundle::is_laid_out(opened.folder()));
    ptp::run::check_hashes(checkpoint);
    CHECK(fs::is_directory(opened.folder() / "checkpoints/last"));
}

TEST_CASE("bundle: the folder of an installed package is none that a bundle was laid out in") {
    const TempFolder folder;
    folder.write("manifest.toml", small_entries().front().content);
    CHECK_FALSE(ptp::bundle::is_laid_out(folder.path()));
}

TEST_CASE("bundle: an opened one leaves nothing behind") {
    const TempFolder folder;
    fs::path laid_out;
    {
        const ptp::bundle::OpenedBundle opened(folder.write("x.ptpm", small_bundle()));
        laid_out = opened.folder();
        CHECK(fs::exists(laid_out));
    }
    CHECK_FALSE(fs::exists(laid_out));
}

TEST_CASE("bundle: builds of plugins stay in it until they are asked for") {
    const TempFolder folder;
    auto contents = small_contents();
    contents["plugins/vision_models.so"] = {.text = "code"};
    contents["plugins/vision_models.data/en/words.txt"] = {.text = "one"};
    write_bundle(folder.path() / "x.ptpm", small_manifest(), contents);
    const ptp::bundle::OpenedBundle opened(folder.path() / "x.ptpm");
    CHECK_FALSE(fs::exists(opened.folder() / "plugins"));
    opened.file().write_builds(folder.path() / "builds");
    CHECK(folder.read("builds/vision_models.so") == "code");
    CHECK(folder.read("builds/vision_models.data/en/words.txt") == "one");
    CHECK(std::distance(fs::directory_iterator(folder.path() / "builds"), {}) == 2);
    CHECK(page_of(opened.file().manifest()).find(", its build is in it\n") != std::string::npos);
}

TEST_CASE("bundle: the page has what the manifest declares") {
    const TempFolder folder;
    const BundleFile file(folder.write("x.ptpm", small_bundle()));
    const std::string page = ptp::bundle::page_of(file.manifest());
    CHECK(page.find("small\n  license     MIT\n") == 0);
    CHECK(page.find("  measured    validation: loss 0.25, accuracy 0.5\n") != std::string::npos);
    CHECK(page.find("  input       images: float [B, 4]\n") != std::string::npos);
}

TEST_CASE("bundle: a write changes no other file, and none where it cannot be done") {
    const TempFolder folder;
    const fs::path path = folder.write("x.ptpm", "before");
    folder.write("x.ptpm.new", "of the user");
    auto contents = small_contents();
    contents["../x"] = {.text = "x"};
    CHECK_THROWS_AS(ptp::bundle::write_bundle(path, small_manifest(), contents), ptp::RunError);
    CHECK(folder.read("x.ptpm") == "before");
    write_bundle(path, small_manifest(), small_contents());
    CHECK(folder.read("x.ptpm") == small_bundle());
    CHECK(folder.read("x.ptpm.new") == "of the user");
    CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 2);
}

}  // namespace bundle_file_test
