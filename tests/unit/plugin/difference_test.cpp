#include "plugin/manifest_json.hpp"

#include "support.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>

namespace difference_test {

namespace {

using namespace ptp;
using namespace ptp::plugin;

// "field: left / right" after a change of the right one.
std::string after(const std::function<void(Manifest&)>& change) {
    const Manifest left = ptp::test::full_manifest();
    Manifest right = left;
    change(right);
    const auto found = first_difference(left, right);
    return found ? found->field + ": " + found->left + " / " + found->right : "";
}

}  // namespace

TEST_CASE("difference: equal manifests have none") {
    CHECK(after([](Manifest&) {}) == "");
}

TEST_CASE("difference: the field is named with both values") {
    CHECK(after([](Manifest& m) { m.version = "1.1.0"; }) == "version: \"1.0.0\" / \"1.1.0\"");
    CHECK(after([](Manifest& m) { m.build.sanitizer = "none"; }) ==
          "build.sanitizer: \"address\" / \"none\"");
    CHECK(after([](Manifest& m) { m.components[0].ports[0].shape = "B,2"; }) ==
          "FullLoss.ports.words.shape: \"B\" / \"B,2\"");
    CHECK(after([](Manifest& m) { m.components[0].settings[0].members[0].range = "[0, 1]"; }) ==
          "FullLoss.settings.optimizer.members.learning_rate.range: \"(0, 1]\" / \"[0, 1]\"");
    CHECK(after([](Manifest& m) { m.components[0].settings[1].choices[1] = "RNN"; }) ==
          "FullLoss.settings.cells.choices.1: \"GRU\" / \"RNN\"");
}

TEST_CASE("difference: something that only one of them has") {
    CHECK(after([](Manifest& m) { m.components[0].ports[0].is_optional = false; }) ==
          "FullLoss.ports.words.optional: true / nothing");
    CHECK(after([](Manifest& m) { m.components[0].ports[1].when = "cells"; }) ==
          "FullLoss.ports.loss.when: nothing / \"cells\"");
    CHECK(
        after([](Manifest& m) { m.components[0].settings.pop_back(); }) ==
        "FullLoss.settings.file: {\"name\":\"file\",\"type\":\"string\",\"output_file\":true,\"help\":\"Wh... / nothing");
    CHECK(
        after([](Manifest& m) { m.components.push_back(m.components[0]); }) ==
        "FullLoss: nothing / {\"name\":\"FullLoss\",\"kind\":\"loss\",\"summary\":\"All there is\",\"d...");
}

TEST_CASE("difference: a component of another name is named by the first") {
    CHECK(after([](Manifest& m) { m.components[0].name = "Other"; }) ==
          "FullLoss.name: \"FullLoss\" / \"Other\"");
}

TEST_CASE("difference: long values are shortened") {
    CHECK(after([](Manifest& m) { m.components[0].summary = std::string(100, 'x'); }) ==
          "FullLoss.summary: \"All there is\" / \"" + std::string(59, 'x') + "...");
}

}  // namespace difference_test
