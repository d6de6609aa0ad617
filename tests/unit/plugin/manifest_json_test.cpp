#include "plugin/manifest_json.hpp"

#include "plugin/manifest_check.hpp"
#include "support.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace manifest_json_test {

namespace {

using namespace ptp;
using namespace ptp::plugin;
using ptp::test::full_manifest;

std::string text() {
    return to_json(full_manifest()).dump();
}

std::string replaced(const std::string& from, const std::string& to) {
    std::string result = text();
    const std::size_t at = result.find(from);
    REQUIRE(at != std::string::npos);
    return result.replace(at, from.size(), to);
}

std::string problem(const std::string& json) {
    return test::error_of<ManifestError>([&] { from_json(json); });
}

}  // namespace

TEST_CASE("manifest JSON: what is written is read again, every member of it") {
    CHECK(from_json(text()) == full_manifest());
    CHECK(from_json(to_json(full_manifest()).dump(2)) == full_manifest());
}

TEST_CASE("manifest JSON: how many samples a task has is read again") {
    Manifest manifest = full_manifest();
    Component& task = manifest.components[0];
    task.kind = Kind::kTask;
    task.ports.resize(1);
    task.ports[0] = Port();
    task.ports[0].direction = Direction::kOutput;
    task.ports[0].name = "inputs";
    task.ports[0].shape = "B";
    task.ports[0].help = "x";
    task.sample_count = "10 * 2";
    CHECK(from_json(to_json(manifest).dump()) == manifest);
    CHECK(from_json(to_json(manifest).dump()).components[0].sample_count == "10 * 2");
}

TEST_CASE("manifest JSON: the text is compact and in a fixed order") {
    Manifest manifest = full_manifest();
    Component& component = manifest.components[0];
    component.settings.clear();
    component.ports = {component.ports[1]};
    component.ports[0].is_reshaped = false;  // only with an input
    component.globals.clear();
    component.statistics.clear();
    component.requirements.clear();
    CHECK(to_json(manifest).dump() ==
          R"({"abi_major":1,"abi_minor":6,"name":"full","version":"1.0.0",)"
          R"("license":"Apache-2.0","author":"Jane Doe <jane@example.org>",)"
          R"("homepage":"https://example.org/full",)"
          R"-("build":{"libtorch":"1.13.1 (libtorch_cpu.so.1.13)",)-"
          R"("standard_library":"libstdc++ cxx11","sanitizer":"address","compiler":"g++ 12"},)"
          R"("components":[{"name":"FullLoss","kind":"loss","summary":"All there is",)"
          R"("description":"First line\nsecond line","ports":[{"direction":"output",)"
          R"("name":"loss","element":"float","loss":true,"help":"A loss"}],)"
          R"("abilities":["ptp.statistics/1","ptp.state/1"]}]})");
    component.abilities.reset();
    CHECK(to_json(manifest).dump().ends_with(R"("help":"A loss"}]}]})"));
    CHECK(from_json(to_json(manifest).dump()).components[0].abilities == std::nullopt);
}

TEST_CASE("manifest JSON: an absent default is not an empty one") {
    Manifest manifest = full_manifest();
    Setting& setting = manifest.components[0].settings[2];
    setting.type = SettingType::kAny;
    manifest.components[0].ports[0].streams_setting = "";
    setting.list_depth = 0;
    CHECK(from_json(to_json(manifest).dump()).components[0].settings[2].default_value ==
          std::nullopt);
    setting.default_value = "\"\"";
    CHECK(from_json(to_json(manifest).dump()).components[0].settings[2].default_value == "\"\"");
}

TEST_CASE("manifest JSON: one of very many objects is refused soon") {
    // In a time that grows with their number, not with its square: that would take minutes.
    std::string text = R"({"abi_major":1,"components":[{})";
    while (text.size() < 3'000'000) {
        text += ",{}";
    }
    CHECK(problem(text + "]}") == "its manifest is malformed: build is missing");
}

TEST_CASE("manifest JSON: malformed texts are refused, and where") {
    const std::string start = "its manifest is malformed: ";
    CHECK(problem("") == start + "it is not JSON");
    CHECK(problem("{") == start + "it is not JSON");
    CHECK(problem("{\"abi_major\":1,\"x\":\"\xff\"}") == start + "it is not JSON");
    CHECK(problem("[]") == start + "the manifest is not an object");
    CHECK(problem(std::string(100'000, '[')) == start + "it is nested deeper than 32");
    CHECK(problem(R"({"abi_major":1})") == start + "build is missing");
    CHECK(problem(replaced("\"abi_major\":1", "\"abi_major\":-1")) ==
          start + "abi_major is not a number of 31 bits");
    CHECK(problem(replaced("\"abi_major\":1", "\"abi_major\":1.5")) ==
          start + "abi_major is not a number of 31 bits");
    CHECK(problem(replaced("\"decimals\":6", "\"decimals\":9999999999")) ==
          start + "components[0].statistics[1].decimals is not a number of 31 bits");
    CHECK(problem(replaced("\"name\":\"words\"", "\"name\":7")) ==
          start + "components[0].ports[0].name is not a text");
    CHECK(problem(replaced("\"optional\":true", "\"optional\":1")) ==
          start + "components[0].ports[0].optional is not true or false");
    CHECK(problem(replaced("\"tokens\"", "\"token\"")) ==
          start + "components[0].ports[0].element = 'token' is not a known word");
    CHECK(problem(replaced("[\"LSTM\",\"GRU\"]", "{}")) ==
          start + "components[0].settings[1].choices is not a list of at most 1000 items");
    CHECK(problem(replaced("\"range\":", "\"rage\":")) ==
          start + "components[0].settings[0].members[0] has members that are unknown");
}

TEST_CASE("manifest JSON: another ABI is refused before anything else is read") {
    CHECK(problem(R"({"abi_major":2,"abi_minor":0,"whatever":[]})") ==
          "built for ABI 2.0, this host has 1.6\n    fix: rebuild the plugin with this host's SDK");
}

TEST_CASE("manifest JSON: what is read obeys the rules for manifests") {
    CHECK(problem(replaced("\"name\":\"words\"", "\"name\":\"Words\"")) ==
          "FullLoss: port 'Words': the name must be lower-case letters, digits and '_', a letter "
          "first");
}

TEST_CASE("manifest JSON: a list depth of two billions is refused at once, whatever its default") {
    for (const char* depth : {"3", "2147483647"}) {
        CHECK(problem(replaced("\"list_depth\":1", std::string("\"list_depth\":") + depth)) ==
              "FullLoss: setting 'cells': list_depth = " + std::string(depth) +
                  ": must be 0, 1 or 2; FullLoss: setting 'cells': only a list of values can be "
                  "given as one value");
    }
}

TEST_CASE("manifest JSON: names, texts and lists that are too long are refused, and where") {
    const std::string start = "its manifest is malformed: components[0]";
    const auto text_of = [](std::size_t size) { return "\"" + std::string(size, 'a') + "\""; };
    CHECK(problem(replaced("\"words\"", text_of(256))) == "");
    CHECK(problem(replaced("\"words\"", text_of(257))) ==
          start + ".ports[0].name is longer than 256 bytes");
    CHECK(problem(replaced("\"All there is\"", text_of(65'536))) == "");
    CHECK(problem(replaced("\"All there is\"", text_of(65'537))) ==
          start + ".summary is longer than 65536 bytes");
    std::string choices = "\"LSTM\"";
    for (int i = 1; i <= 1000; ++i) {
        choices += ",\"c" + std::to_string(i) + "\"";
    }
    CHECK(problem(replaced("\"LSTM\",\"GRU\"", choices)) ==
          start + ".settings[1].choices is not a list of at most 1000 items");
    CHECK(problem(text() + std::string((std::size_t{4} << 20U) - text().size() + 1, ' ')) ==
          "its manifest is malformed: it has 4194305 bytes, more than 4194304");
    nlohmann::ordered_json manifest = to_json(full_manifest());
    nlohmann::ordered_json& table = manifest["components"][0]["settings"][0];
    const nlohmann::ordered_json one = table;
    for (int i = 0; i < 9; ++i) {
        const nlohmann::ordered_json inner = table;
        table = one;
        table["members"] = nlohmann::ordered_json::array({inner});
    }
    CHECK(problem(manifest.dump()) ==
          "its manifest is malformed: components[0].settings[0].members[0].members[0].members[0]."
          "members[0].members[0].members[0].members[0].members[0] lies in more than 8 tables");
}

TEST_CASE("manifest JSON: of very many problems the first hundred are said") {
    Manifest manifest = full_manifest();
    Component& component = manifest.components[0];
    component.statistics.resize(150, component.statistics[0]);
    CHECK(check(manifest).size() == 100);
}

}  // namespace manifest_json_test
