#include "support.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <string>

namespace frozen_test {

using namespace ptp;
using plugin::Kind;
using test::assemble_text;
using test::experiment_text;
using test::Make;

namespace {

plugin::Catalog catalog() {
    plugin::Catalog catalog = test::usual_catalog();
    catalog.plugins[0].manifest.components.push_back(
        Make(Kind::kModel, "Flat").in("inputs", "B, 1, 32, 32").out("predictions", "B, 10"));
    return catalog;
}

constexpr const char* kPipeline = R"([pipeline.net]
type = "Flat"
[pipeline.loss]
type = "Loss"
)";

std::string problems_of(const std::string& text) {
    return assemble_text(text, catalog()).problems;
}

}  // namespace

TEST_CASE("frozen: what is frozen with the weights of its creation is warned of") {
    const ptp::test::TempFolder folder;
    const std::string load =
        "load = \"" +
        folder.write("a.safetensors", std::string("\x02\0\0\0\0\0\0\0{}", 10)).string() + "\"\n";
    const std::string trained =
        std::string(kPipeline) +
        "[pipeline.accuracy]\ntype = \"Accuracy\"\nstreams = { predictions = \"others\" }\n"
        "[pipeline.second]\ntype = \"Flat\"\nstreams = { predictions = \"others\" }\n";
    const auto warned = [&](const std::string& keys) {
        return problems_of(experiment_text(trained + keys));
    };
    const std::string warning =
        "e.toml:18:10: pipeline.second.freeze: warning: nothing loads weights into Flat, so that "
        "those of its creation stay, which are usually random\n"
        "    fix: write load = \"RUN\" in pipeline.second, or leave freeze out";
    CHECK(warned("freeze = true\n") == warning);
    for (const char* some : {"[\"fc\"]", "{ except = [\"fc\"] }"}) {
        CHECK(warned(fmt::format("freeze = {}\n", some)).find(warning) != std::string::npos);
    }
    CHECK(warned("freeze = [\"*.bias\"]\n").find("creation") == std::string::npos);
    CHECK(warned("freeze = true\n" + load) == "");
    CHECK(warned("freeze = true\n[pipeline]\n" + load) == "");
    // In the first epochs the other models are trained alone.
    CHECK(warned("freeze = { until_epoch = 1 }\n").find("creation") == std::string::npos);
    const std::string all = "[pipeline]\nfreeze = true\n";
    const std::string own = "freeze = false\n";
    const auto all_but_net = [&](const std::string& more) {
        std::string text = trained;
        text.insert(text.find("[pipeline.loss]"), own);
        return problems_of(experiment_text(text + more));
    };
    CHECK(
        all_but_net(all) ==
        "e.toml:19:1: pipeline.freeze: warning: nothing loads weights into 'second', so that those "
        "of its creation stay, which are usually random\n"
        "    fix: write load = \"RUN\" in [pipeline], or leave freeze out");
    CHECK(all_but_net(all + load) == "");
}

TEST_CASE("frozen: a frozen model may take its weights from a file in its settings") {
    plugin::Catalog words = catalog();
    words.plugins[0].manifest.components.push_back(
        Make(Kind::kModel, "Vectors")
            .setting(test::setting_of(plugin::SettingType::kString, "vectors"))
            .setting(test::setting_of(plugin::SettingType::kPath, "data_folder", "\"~/data\""))
            .in("inputs", "B, 1, 32, 32")
            .out("others", "B, 10"));
    const auto warned = [&](const std::string& keys) {
        return assemble_text(
                   experiment_text(std::string(kPipeline) +
                                   "[pipeline.accuracy]\ntype = \"Accuracy\"\nstreams = { "
                                   "predictions = \"others\" }\n"
                                   "[pipeline.words]\ntype = \"Vectors\"\nfreeze = true\n" +
                                   keys),
                   words)
            .problems;
    };
    CHECK(warned("vectors = \"glove.txt\"\n") == "");
    CHECK(warned("").find("nothing loads weights into Vectors") != std::string::npos);
}

}  // namespace frozen_test
