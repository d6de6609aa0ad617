// Lineages are put in order, written, read and shown, and hostile ones are refused.

#include "support.hpp"

#include "base/error.hpp"
#include "bundle/show.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <functional>
#include <string>
#include <vector>

namespace lineage_test {

using ptp::bundle::Ancestor;
using ptp::bundle::BundleManifest;
using ptp::bundle::in_order;
using ptp::test::small_manifest;

namespace {

std::string digits(char digit) {
    return std::string(64, digit);
}

Ancestor model(char digit, const std::string& parents = "") {
    Ancestor ancestor{.weights_sha256 = digits(digit),
                      .name = std::string("m") + digit,
                      .bundle_sha256 = "",
                      .training = {.run = std::string("run") + digit,
                                   .experiment_sha256 = "",
                                   .commit = "",
                                   .is_clean = true,
                                   .seed = digit - '0',
                                   .epoch = 2,
                                   .episode = 12}};
    for (const char parent : parents) {
        ancestor.training.parents.push_back({digits(parent), ""});
    }
    return ancestor;
}

std::string names_of(const std::vector<Ancestor>& ancestors) {
    std::string names;
    for (const Ancestor& ancestor : ancestors) {
        names += ancestor.name.back();
    }
    return names;
}

// 1 has two parents, 2 and of 3 the component `encoder`; both began with 4, and 4 with a file.
BundleManifest descended() {
    BundleManifest manifest = small_manifest();
    manifest.lineage.parents = {{digits('1'), ""}};
    manifest.ancestors = {model('1', "2"), model('2', "4"), model('3', "4"), model('4', "5")};
    manifest.ancestors[0].training.parents.push_back({digits('3'), "pipeline.encoder"});
    manifest.ancestors[0].bundle_sha256 = digits('a');
    manifest.ancestors[1].data = {{"training", 48, digits('d')}};
    manifest.ancestors.push_back(
        {.weights_sha256 = digits('5'), .name = "m5", .bundle_sha256 = ""});
    return manifest;
}

std::string refusal_of(const std::function<void(BundleManifest&)>& change) {
    BundleManifest manifest = descended();
    manifest.files = {{"experiment.toml", digits('e'), 1},
                      {"run.json", digits('e'), 1},
                      {ptp::bundle::checkpoint_path("checkpoint.toml"), digits('e'), 1},
                      {ptp::bundle::checkpoint_path("SHA256SUMS"), digits('e'), 1},
                      {ptp::bundle::weights_path(), digits('e'), 1}};
    change(manifest);
    try {
        const BundleManifest read = ptp::bundle::read_bundle_manifest(text_of(manifest), "m");
        CHECK(read.lineage == manifest.lineage);
        CHECK(read.ancestors == manifest.ancestors);
        return "";
    } catch (const ptp::RunError& error) {
        CHECK(error.code() == ptp::kDataError);
        const std::string text = error.what();
        return text.substr(text.find(' ') + 1);
    }
}

}  // namespace

TEST_CASE("lineage: each model is there once, before those that it began with") {
    CHECK(names_of(in_order({model('4'), model('1', "23"), model('3', "4"), model('2', "4")})) ==
          "1324");
    CHECK(names_of(in_order({model('1', "2"), model('2'), model('1')})) == "12");
    CHECK(names_of(in_order(descended().ancestors)) == "12345");
}

TEST_CASE("lineage: a training that left the weights as they were is not its own parent") {
    CHECK(in_order({model('1', "1")}) == std::vector{model('1')});
    CHECK(in_order({model('1', "2"), model('2', "1")}) == std::vector{model('2', "1"), model('1')});
}

TEST_CASE("lineage: of more than 1000 generations the oldest are left out") {
    std::vector<Ancestor> chain;
    for (int i = 0; i < 1002; ++i) {
        Ancestor& one = chain.emplace_back(model('1'));
        one.weights_sha256 = std::to_string(i);
        one.training.parents = {{std::to_string(i + 1), ""}};
    }
    const std::vector<Ancestor> kept = in_order(chain);
    CHECK(kept.size() == 1000);
    CHECK(kept.back().weights_sha256 == "999");
}

TEST_CASE("lineage: it is shown as a tree, in which each model is described once") {
    const std::string page = page_of(descended());
    CHECK(page.find("  run         20260131_120000, seed 3\n"
                    "  began with  m1: run run1, epoch 2, seed 1, file sha256 aaaaaaaaaaaaaaaa, "
                    "weights sha256 1111111111111111\n"
                    "                began with m2: run run2, epoch 2, seed 2, weights sha256 "
                    "2222222222222222\n"
                    "                  data training: 48 samples, sha256 dddddddddddddddd\n"
                    "                  began with m4: run run4, epoch 2, seed 4, weights sha256 "
                    "4444444444444444\n"
                    "                    began with m5: weights sha256 5555555555555555\n"
                    "                began with pipeline.encoder of m3: run run3, epoch 2, seed 3, "
                    "weights sha256 3333333333333333\n"
                    "                  began with m4, as above\n"
                    "  measured") != std::string::npos);
    BundleManifest manifest = small_manifest();
    manifest.lineage.parents = {{digits('9'), "pipeline.net"}};  // of more than 1000
    CHECK(
        page_of(manifest).find("  began with  pipeline.net of weights sha256 9999999999999999\n") !=
        std::string::npos);
}

TEST_CASE("lineage: what is deeper than 20 generations is shown as deep as the twentieth") {
    BundleManifest manifest = small_manifest();
    manifest.lineage.parents = {{std::string(62, '0') + "00", ""}};
    for (int i = 0; i < 40; ++i) {
        Ancestor& one = manifest.ancestors.emplace_back(model('1'));
        one.weights_sha256 = fmt::format("{:064}", i);
        one.training.parents = {{fmt::format("{:064}", i + 1), ""}};
    }
    const auto lines = ptp::bundle::lineage_lines(manifest.lineage, manifest.ancestors);
    REQUIRE(lines.size() == 41);
    CHECK(lines[19].depth == 19);
    CHECK(lines[20].depth == 20);
    CHECK(lines[40].depth == 20);
}

TEST_CASE("lineage: a text from outside becomes one that a lineage may have") {
    CHECK(ptp::bundle::lineage_text("run 1") == "run 1");
    CHECK(ptp::bundle::lineage_text("a\nb\tc\x1b[2J\xff") == "a b c\\u001b[2J\\xff");
    // A character of two bytes lies on the limit.
    CHECK(ptp::bundle::lineage_text(std::string(299, 'x') + "\xc3\xa4y") == std::string(299, 'x'));
}

TEST_CASE("lineage: what no lineage is, is refused") {
    const std::string texts =
        "ancestors: must have hashes of 64 hexadecimal digits, and texts of one line of at most "
        "300 bytes without control characters";
    const std::string counts = "ancestors: a model has more than 1000 parents or sections of data";
    const std::string order = "ancestors: must be there once, each before those that it began with";
    CHECK(refusal_of([](BundleManifest&) {}) == "");
    CHECK(refusal_of([](BundleManifest& m) { m.ancestors[0].weights_sha256 = "1"; }) == texts);
    CHECK(refusal_of([](BundleManifest& m) { m.ancestors[1].bundle_sha256 = "../x"; }) == texts);
    CHECK(refusal_of([](BundleManifest& m) { m.ancestors[1].data[0].sha256 = "x"; }) == texts);
    CHECK(refusal_of([](BundleManifest& m) { m.ancestors[2].name = "\x1b[2J"; }) == texts);
    CHECK(refusal_of([](BundleManifest& m) { m.ancestors[2].training.commit = "a\nb"; }) == texts);
    CHECK(refusal_of([](BundleManifest& m) { m.lineage.run = "a\nb"; }) == texts);
    CHECK(refusal_of([](BundleManifest& m) { m.data[0].sha256 = "none"; }) ==
          "data" + texts.substr(texts.find(':')));
    CHECK(refusal_of([](BundleManifest& m) { m.data[0].section = "a\nb"; }) ==
          "data" + texts.substr(texts.find(':')));
    CHECK(refusal_of([](BundleManifest& m) { m.ancestors[4].name = std::string(301, 'x'); }) ==
          texts);
    CHECK(refusal_of([](BundleManifest& m) { m.ancestors[4].name = std::string(300, 'x'); }) == "");
    CHECK(refusal_of([](BundleManifest& m) { m.lineage.run = std::string(301, 'x'); }) == texts);
    CHECK(refusal_of([](BundleManifest& m) { m.data.resize(1001, m.data[0]); }) == counts);
    CHECK(refusal_of([](BundleManifest& m) {
              m.lineage.parents.resize(1001, m.lineage.parents[0]);
          }) == counts);
    CHECK(refusal_of([](BundleManifest& m) {
              m.ancestors[3].training.parents.resize(1001, {digits('5'), ""});
          }) == counts);
    CHECK(refusal_of([](BundleManifest& m) { m.lineage.parents[0].component = "\x07"; }) == texts);
    CHECK(refusal_of([](BundleManifest& m) { m.lineage.parents[0].weights_sha256 = ""; }) == texts);
    CHECK(refusal_of([](BundleManifest& m) {
              m.ancestors[4].training.parents = {{digits('1'), ""}};
          }) == order);
    CHECK(refusal_of([](BundleManifest& m) {
              m.ancestors[0].training.parents = {{digits('1'), ""}};
          }) == order);
    CHECK(refusal_of([](BundleManifest& m) { m.ancestors.push_back(m.ancestors[0]); }) == order);
    CHECK(refusal_of([](BundleManifest& m) { std::swap(m.ancestors[3], m.ancestors[4]); }) ==
          order);
    CHECK(refusal_of([](BundleManifest& m) { m.ancestors.resize(1001, m.ancestors[0]); }) ==
          "ancestors: there are more than 1000");
}

}  // namespace lineage_test
