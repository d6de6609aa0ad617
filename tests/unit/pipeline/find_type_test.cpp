#include "pipeline/find_type.hpp"

#include "support.hpp"

#include <doctest/doctest.h>

using namespace ptp;

namespace {

std::string said_of(const plugin::Catalog& catalog, const char* type, bool is_task = false) {
    config::Diagnostics problems;
    const auto found = pipeline::find_type(
        catalog, {type, config::Place("e.toml", 2, 8), "pipeline.net", is_task}, problems);
    CHECK(found.has_value() == problems.ok());
    return problems.text();
}

}  // namespace

TEST_CASE("find type: a component is found by its name, or by that of its plugin too") {
    const auto catalog = test::usual_catalog();
    CHECK(said_of(catalog, "Net") == "");
    CHECK(said_of(catalog, "test_plugin/Net") == "");
    CHECK(said_of(catalog, "Images", true) == "");
}

TEST_CASE("find type: files that may hold what is missing are named with what is wrong with them") {
    auto catalog = test::usual_catalog();
    catalog.rejected = {{"/plugins/vision.so", "is cut off"},
                        {"/old/test_plugin.so", "offers the plugin 'test_plugin' again"}};
    CHECK(said_of(catalog, "Nett") ==
          "e.toml:2:8: pipeline.net.type = \"Nett\": no plugin has such a component; did you mean "
          "'Net'? (searched: /plugins)\n"
          "    not usable: /plugins/vision.so: is cut off");
}

TEST_CASE("find type: without plugins it is said where they were looked for") {
    plugin::Catalog catalog;
    CHECK(said_of(catalog, "Net") ==
          "e.toml:2:8: pipeline.net.type = \"Net\": there are no plugins (searched: nowhere, no "
          "plugin folder was given)");
    catalog.searched = {"/a", "/b"};
    CHECK(said_of(catalog, "Net") ==
          "e.toml:2:8: pipeline.net.type = \"Net\": there are no plugins (searched: /a and /b)");
}

TEST_CASE("find type: of very many components the first are named, and what lists the others") {
    std::vector<plugin::Component> components;
    std::string first;
    for (int i = 10; i < 52; ++i) {
        const std::string name = "A" + std::to_string(i);
        components.push_back(test::Make(plugin::Kind::model, name));
        first += i < 50 ? (first.empty() ? "" : ", ") + name : "";
    }
    CHECK(said_of(test::catalog_of(components), "Zebra") ==
          "e.toml:2:8: pipeline.net.type = \"Zebra\": no plugin has such a component; known: " +
              first + " and 2 more; ptp-inspect lists all (searched: /plugins)");
}
