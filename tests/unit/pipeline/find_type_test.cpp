#include "pipeline/draft.hpp"

#include "support.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>

namespace find_type_test {

using namespace ptp;

namespace {

const std::string kFix =
    "\n    fix: list all components: ptp-inspect\n"
    "         or have another folder searched: --plugins DIR";

std::string said_of(const plugin::Catalog& catalog, const char* type, bool is_task = false) {
    ptp::Diagnostics problems;
    const auto found = pipeline::find_type(
        catalog, {type, ptp::SourceLocation("e.toml", 2, 8), "pipeline.net", is_task}, problems);
    CHECK(found.has_value() == problems.ok());
    return problems.text();
}

}  // namespace

TEST_CASE("find type: a component is found by its name, with or without its plugin's") {
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
          "'Net'?\n"
          "    searched: /plugins\n"
          "    not usable: /plugins/vision.so: is cut off" +
              kFix);
}

TEST_CASE("find type: without plugins it is said where they were looked for") {
    plugin::Catalog catalog;
    CHECK(said_of(catalog, "Net") ==
          "e.toml:2:8: pipeline.net.type = \"Net\": no plugins found\n"
          "    searched: nowhere, no plugin folder was given" +
              kFix);
    catalog.searched = {"/a", "/b"};
    CHECK(said_of(catalog, "Net") ==
          "e.toml:2:8: pipeline.net.type = \"Net\": no plugins found\n"
          "    searched: /a and /b" +
              kFix);
}

TEST_CASE(
    "find type: the folder where a project builds its plugin is named if it is not searched") {
    const test::TempFolder temp;
    const auto built = temp.path() / "build/lib/ptp/plugins";
    std::filesystem::create_directories(built);
    auto catalog = test::usual_catalog();
    const auto fix_of = [&] {
        Diagnostics problems;
        const SourceLocation place((temp.path() / "e.toml").string(), 2, 8);
        CHECK_FALSE(pipeline::find_type(catalog, {"mine/Mine", place, "pipeline.net"}, problems));
        return problems.reported().front().fix;
    };
    CHECK(fix_of() ==
          "list all components: ptp-inspect\n         or have another folder searched: --plugins " +
              built.string());
    catalog.searched = {std::filesystem::canonical(built)};
    CHECK(fix_of() ==
          "list all components: ptp-inspect\n         or have another folder searched: --plugins "
          "DIR");
}

TEST_CASE("find type: of many components at most five are named, and only those that are alike") {
    std::vector<plugin::Component> components;
    for (int i = 10; i < 52; ++i) {
        components.push_back(test::Make(plugin::Kind::kModel, "A" + std::to_string(i)));
    }
    components.push_back(test::Make(plugin::Kind::kModel, "ZebraNetwork"));
    CHECK(said_of(test::catalog_of(components), "Zebra") ==
          "e.toml:2:8: pipeline.net.type = \"Zebra\": no plugin has such a component; most alike: "
          "ZebraNetwork\n"
          "    searched: /plugins" +
              kFix);
    CHECK(said_of(test::catalog_of(components), "MLP") ==
          "e.toml:2:8: pipeline.net.type = \"MLP\": no plugin has such a component\n"
          "    searched: /plugins" +
              kFix);
    for (const char* more : {"Zebra1", "Zebra22", "Zebra333", "Zebra4444", "Zebra55555"}) {
        components.push_back(test::Make(plugin::Kind::kModel, std::string("The") + more));
    }
    CHECK(said_of(test::catalog_of(components), "Zebra") ==
          "e.toml:2:8: pipeline.net.type = \"Zebra\": no plugin has such a component; most alike: "
          "TheZebra1, TheZebra22, TheZebra333, TheZebra4444, ZebraNetwork\n"
          "    searched: /plugins" +
              kFix);
}

TEST_CASE("find type: a slip, and a name from elsewhere, are answered with the type alone") {
    const auto catalog = test::usual_catalog();
    CHECK(said_of(catalog, "Nett") ==
          "e.toml:2:8: pipeline.net.type = \"Nett\": no plugin has such a component; did you mean "
          "'Net'?");
    const auto zebra = test::catalog_of({test::Make(plugin::Kind::kModel, "ZebraNetwork")});
    CHECK(said_of(zebra, "zebra_network") ==
          "e.toml:2:8: pipeline.net.type = \"zebra_network\": no plugin has such a component; did "
          "you mean 'ZebraNetwork'?");
    CHECK(
        said_of(zebra, "ZebraNetz") ==
        "e.toml:2:8: pipeline.net.type = \"ZebraNetz\": no plugin has such a component; did you "
        "mean 'ZebraNetwork'?\n"
        "    fix: write type = \"ZebraNetwork\"; or, if ZebraNetz is in a plugin of yours, give its "
        "folder by --plugins DIR or PTP_PLUGIN_PATH");
    plugin::Component network = test::Make(plugin::Kind::kModel, "FeedForwardNetwork");
    network.summary = "Linear layers with ReLU between them: an MLP";
    plugin::Component encoder = test::Make(plugin::Kind::kModel, "Encoder");
    encoder.summary = "VGG-16 or ResNet from images to vectors";
    plugin::Component other = test::Make(plugin::Kind::kModel, "Deeper");
    other.summary = "resnet without pooling";
    const auto models = test::catalog_of({network, encoder, other});
    CHECK(said_of(models, "mlp") ==
          "e.toml:2:8: pipeline.net.type = \"mlp\": no plugin has such a component; did you mean "
          "'FeedForwardNetwork'?");
    CHECK(
        said_of(models, "ResNet") ==
        "e.toml:2:8: pipeline.net.type = \"ResNet\": no plugin has such a component; did you mean "
        "'Deeper' or 'Encoder'?");
    CHECK(said_of(models, "Pool").find("did you mean") == std::string::npos);  // part of a word
}

TEST_CASE("find type: a name of the glossary has its meaning, unless a component has the name") {
    const auto loss = [](const char* name, const char* summary) {
        plugin::Component component = test::Make(plugin::Kind::kLoss, name);
        component.summary = summary;
        return component;
    };
    plugin::Component rouge = test::Make(plugin::Kind::kStatistic, "ROUGEStatistics");
    rouge.summary = "ROUGE-N and ROUGE-L of texts";
    const auto catalog = test::catalog_of(
        {rouge, loss("L1Loss", "Mean absolute difference of predictions and targets"),
         loss("MSELoss", "Mean squared difference between predictions and targets"),
         loss("CrossEntropyLoss", "Mean cross-entropy of logits, with label smoothing"),
         test::Make(plugin::Kind::kModel, "Softmax"), test::Make(plugin::Kind::kModel, "Sigmoid")});
    const auto answer = [](const std::string& type, const std::string& meant) {
        return "e.toml:2:8: pipeline.net.type = \"" + type +
               "\": no plugin has such a component; did you mean '" + meant + "'?";
    };
    CHECK(said_of(catalog, "L1") == answer("L1", "L1Loss"));
    CHECK(said_of(catalog, "L2") == answer("L2", "MSELoss"));
    CHECK(said_of(catalog, "CE") == answer("CE", "CrossEntropyLoss"));
    CHECK(said_of(catalog, "softmax") == answer("softmax", "Softmax"));
    CHECK(said_of(catalog, "sigmoid") == answer("sigmoid", "Sigmoid"));
    CHECK(said_of(catalog, "L3") ==
          "e.toml:2:8: pipeline.net.type = \"L3\": no plugin has such a component\n"
          "    searched: /plugins" +
              kFix);
}

TEST_CASE("find type: where plugins were looked for is said once") {
    const auto catalog = test::usual_catalog();
    ptp::Diagnostics problems;
    for (const int line : {2, 3}) {
        pipeline::find_type(
            catalog, {"XGBoost", ptp::SourceLocation("e.toml", line, 8), "pipeline.net"}, problems);
    }
    CHECK(problems.text() ==
          "e.toml:2:8: pipeline.net.type = \"XGBoost\": no plugin has such a component\n"
          "    searched: /plugins" +
              kFix +
              "\ne.toml:3:8: pipeline.net.type = \"XGBoost\": no plugin has such a component");
}

}  // namespace find_type_test
