#include "engine/checkpoint/fit.hpp"

#include <ATen/ops/zeros.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace renames_test {

using namespace ptp::engine;

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

Texts names_of(const Share& share) {
    Texts names;
    for (const auto& [name, tensor] : share.tensors) {
        names.push_back(name);
    }
    std::ranges::sort(names);
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

}  // namespace renames_test
