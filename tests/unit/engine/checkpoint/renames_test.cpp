#include "engine/checkpoint/renames.hpp"

#include <ptp/ext/parameters.h>

#include <ATen/ops/zeros.h>
#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace renames_test {

using ptp::engine::NamedTensor;
using ptp::engine::rename;
using ptp::engine::SavedWeights;
using ptp::engine::Share;
using ptp::engine::share_of;
using ptp::engine::suggest_renames;
using ptp::engine::Target;

namespace {

using Texts = std::vector<std::string>;
using Shapes = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;

SavedWeights saved(const Shapes& shapes) {
    SavedWeights made;
    for (const auto& [name, shape] : shapes) {
        made.tensors.emplace_back(name, at::zeros(shape));
    }
    return made;
}

Target target(const Shapes& shapes) {
    Target made{"'net' (T)", {}};
    for (const auto& [name, shape] : shapes) {
        made.tensors.push_back({name, PTP_PARAMETER, at::zeros(shape)});
    }
    return made;
}

std::string suggested(const Shapes& file, const Shapes& own) {
    return suggest_renames(share_of(saved(file), ""), target(own)).value_or("none");
}

Texts names_of(const Share& share) {
    Texts names;
    for (const auto& [name, tensor] : share.tensors) {
        names.push_back(name);
    }
    return names;
}

}  // namespace

TEST_CASE("renames: the longest beginning counts, and each name is renamed once") {
    Share share = share_of(saved({{"a.x", {1}}, {"a.b.x", {1}}, {"c", {1}}, {"d.x", {1}}}), "");
    CHECK(rename(share, {{"a.", "d.y.", {}}, {"a.b.", "e.", {}}, {"c", "f", {}}}).empty());
    CHECK(names_of(share) == Texts{"d.x", "d.y.x", "e.x", "f"});
    Share all = share_of(saved({{"x", {1}}, {"y", {1}}}), "");
    CHECK(rename(all, {{"", "layers.", {}}}).empty());
    CHECK(names_of(all) == Texts{"layers.x", "layers.y"});
}

TEST_CASE("renames: one that does nothing, and names that become one, are problems") {
    Share share = share_of(saved({{"0.weight", {1}}, {"1.weight", {1}}}), "");
    CHECK(rename(share, {{"0.", "layers.", {}}, {"1.", "layers.", {}}, {"2.", "x.", {}}}) ==
          Texts{"rename: '0.weight' and '1.weight' both become 'layers.weight'",
                "rename: no name in the file begins with '2.'; names begin with '0.' or '1.'"});
}

TEST_CASE(
    "renames: what one that does nothing begins with is corrected, but no number of a layer") {
    const auto problem = [](const Shapes& shapes, const std::string& from) {
        Share share = share_of(saved(shapes), "");
        const auto problems = rename(share, {{from, "x.", {}}});
        REQUIRE(problems.size() == 1);
        return problems.front();
    };
    const Shapes layers = {{"layers.0.w", {1}}, {"layers.1.w", {1}}, {"head.w", {1}}, {"t", {1}}};
    CHECK(problem(layers, "layer.") ==
          "rename: no name in the file begins with 'layer.'; did you mean 'layers.'?");
    CHECK(problem(layers, "layers.2.") ==
          "rename: no name in the file begins with 'layers.2.'; names begin with 'head.', "
          "'layers.' or 't'");
    Shapes many;
    for (int i = 0; i < 10; ++i) {
        many.push_back({std::to_string(i) + ".w", {1}});
    }
    CHECK(problem(many, "net.") ==
          "rename: no name in the file begins with 'net.'; names begin with '0.', '1.', '2.', "
          "'3.', '4.', '5.', '6.', '7.' and 2 others");
}

TEST_CASE("renames: one is suggested that makes all fit") {
    const Shapes two = {
        {"0.weight", {3, 4}}, {"0.bias", {3}}, {"2.weight", {2, 3}}, {"2.bias", {2}}};
    CHECK(suggested(two, {{"layers.0.weight", {3, 4}},
                          {"layers.0.bias", {3}},
                          {"layers.2.weight", {2, 3}},
                          {"layers.2.bias", {2}}}) == "rename = { \"\" = \"layers.\" }");
    CHECK(suggested(two, {{"layers.0.weight", {3, 4}},
                          {"layers.0.bias", {3}},
                          {"layers.3.weight", {2, 3}},
                          {"layers.3.bias", {2}}}) ==
          "rename = { \"0.\" = \"layers.0.\", \"2.\" = \"layers.3.\" }");
    // Ten comes behind two; equal layers are taken in their order.
    CHECK(suggested({{"l.10.w", {1}}, {"l.2.w", {1}}, {"head.w", {5}}},
                    {{"a.w", {1}}, {"b.w", {1}}, {"head.w", {5}}}) ==
          "rename = { \"l.2.\" = \"a.\", \"l.10.\" = \"b.\" }");
}

TEST_CASE(
    "renames: layers of one side alone go into `except` where the others differ by a prefix") {
    const Shapes file = {{"0.weight", {3, 4}}, {"0.bias", {3}}, {"scale", {1}}, {"ema.w", {2}}};
    const Shapes own = {{"layers.0.weight", {3, 4}}, {"layers.0.bias", {3}}};
    Shapes tensors = file;
    tensors.erase(tensors.begin() + 2);
    CHECK(suggested(tensors, own) == "rename = { \"0.\" = \"layers.0.\" }, except = [\"ema\"]");
    CHECK(suggested(file, own) ==
          "rename = { \"0.\" = \"layers.0.\" }, except = [\"scale\", \"ema\"]");
    const Shapes more = {{"layers.0.weight", {3, 4}}, {"layers.0.bias", {3}}, {"head.w", {9}}};
    CHECK(suggested({{"0.weight", {3, 4}}, {"0.bias", {3}}}, more) ==
          "rename = { \"0.\" = \"layers.0.\" }, except = [\"head\"]");
    CHECK(suggested({{"0.weight", {3}}, {"1.weight", {3}}}, {{"layers.0.weight", {3}}}) ==
          "rename = { \"0.\" = \"layers.0.\" }, except = [\"1\"]");
    // Named like the other in the file, and taken off.
    CHECK(suggested({{"module.a.w", {3}}, {"epoch.w", {1}}}, {{"a.w", {3}}}) ==
          "rename = { \"module.a.\" = \"a.\" }, except = [\"epoch\"]");
    // Values that are not tensors are left out by their names.
    SavedWeights with_other = saved({{"0.weight", {3}}});
    with_other.others = {"epoch"};
    CHECK(suggest_renames(share_of(with_other, ""), target({{"layers.0.weight", {3}}})) ==
          "rename = { \"0.\" = \"layers.0.\" }, except = [\"epoch\"]");
}

TEST_CASE("renames: none is suggested where one would not do") {
    CHECK(suggested({{"0.weight", {3, 4}}}, {{"layers.0.weight", {3, 5}}}) == "none");
    CHECK(suggested({{"0.weight", {3}}}, {{"a.weight", {3}}, {"b.weight", {3}}}) == "none");
    CHECK(suggested({{"weight", {3}}}, {{"layers.weight", {3}}}) == "none");
    CHECK(suggested({{"a.weight", {3}}}, {{"a.weight", {3}}}) == "none");
    CHECK(suggested({{"a.weight", {3}}, {"b.w", {1}}}, {{"a.weight", {4}}, {"c.w", {1}}}) ==
          "none");
}

}  // namespace renames_test
