// What messages suggest follows from the catalog, whatever the components are called.

#include "pipeline/suggestions.hpp"

#include "support.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace suggestions_test {

using namespace ptp;
using plugin::Element;
using plugin::Kind;
using test::Make;
using namespace std::string_literals;

namespace {

constexpr pipeline::Form kImages{Element::kFloating, 4};
constexpr pipeline::Form kRows{Element::kFloating, 2};
constexpr pipeline::Form kClasses{Element::kInteger, 1};

plugin::Catalog strangers() {
    return test::catalog_of(
        {Make(Kind::kTransform, "Blur").in("inputs", "B, 3, *, *").out("outputs", "B, 3, *, *"),
         Make(Kind::kTransform, "Mean")
             .in("inputs", "...")
             .out("outputs", "inputs[:1], inputs[3:]"),
         Make(Kind::kTransform, "Squash")
             .in("inputs", "...")
             .out("outputs", "inputs[:1], (product(inputs[1:]))")
             .meaning("inputs")
             .needs("rank(inputs) > 1", "there must be something to join"),
         Make(Kind::kTransform, "Rows").in("inputs", "B", Element::kInteger).out("outputs", "B, n"),
         Make(Kind::kLoss, "Hinge")
             .in("targets", "B", Element::kInteger)
             .in("predictions", "B, classes")
             .loss("loss"),
         Make(Kind::kLoss, "Distance").in("wanted", "B, n").in("predictions", "B, n").loss("loss"),
         Make(Kind::kPublisher, "Names").writes("names"),
         Make(Kind::kPublisher, "Constants")
             .strings("keys")
             .integers("values")
             .writes("$keys", "$values")});
}

}  // namespace

TEST_CASE("suggestions: a transform is found by what it makes of a stream") {
    const plugin::Catalog catalog = strangers();
    CHECK(pipeline::transform_between(catalog, kImages, kRows, true) == "Squash");
    CHECK(pipeline::transform_between(catalog, kClasses, kRows, false) == "Rows");
    // Mean makes two dimensions of four, but not of the same values; nothing makes three of them.
    CHECK(pipeline::transform_between(catalog, kImages, kRows, false) == "Mean");
    CHECK(pipeline::transform_between(catalog, kImages, {Element::kFloating, 3}, true) == "");
    // The requirement of Squash does not hold for one dimension.
    CHECK(pipeline::transform_between(catalog, {Element::kFloating, 1}, kRows, true) == "");
    CHECK(pipeline::transform_between(plugin::Catalog(), kImages, kRows, true) == "");
}

TEST_CASE("suggestions: where no transform makes the form by itself, one that reshapes may") {
    plugin::Component reshape = Make(Kind::kTransform, "Reshape")
                                    .integers("sizes")
                                    .in("inputs", "...")
                                    .out("outputs", "$sizes");
    reshape.settings[0].is_required = true;
    reshape.ports[1].is_reshaped = true;
    const plugin::Catalog catalog = test::catalog_of({reshape});
    CHECK(pipeline::transform_between(catalog, kImages, kRows, true) == "Reshape");
    CHECK(pipeline::transform_between(catalog, kImages, kRows, false) == "");
}

TEST_CASE("suggestions: losses are found by what they compare, and publishers by their globals") {
    const plugin::Catalog catalog = strangers();
    CHECK(pipeline::comparing(catalog, Kind::kLoss, "targets", kClasses) == std::vector{"Hinge"s});
    CHECK(pipeline::comparing(catalog, Kind::kLoss, "wanted", kRows) == std::vector{"Distance"s});
    CHECK(pipeline::comparing(catalog, Kind::kStatistic, "targets", kRows).empty());
    CHECK(pipeline::comparing(plugin::Catalog(), Kind::kLoss, "targets", kClasses).empty());
    pipeline::WiredStream wanted{.name = "wanted", .element = Element::kFloating};
    pipeline::WiredStream predictions{.name = "predictions", .element = Element::kFloating};
    CHECK(pipeline::loss_that_reads(catalog, {wanted, predictions}) == "Distance");
    CHECK(pipeline::loss_that_reads(catalog, {predictions}) == "");
    CHECK(pipeline::publisher_of_settings(catalog) == "Constants");
    CHECK(pipeline::publisher_of_settings(plugin::Catalog()) == "");
}

}  // namespace suggestions_test
