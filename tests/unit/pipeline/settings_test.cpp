#include "pipeline/settings.hpp"

#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace settings_test {

using namespace ptp;
using plugin::Setting;
using plugin::SettingType;

namespace {

Setting make(SettingType type, std::string name) {
    const Setting setting = test::setting_of(type, std::move(name));
    return setting;
}

// A net with settings of all kinds.
std::vector<Setting> declared() {
    std::vector<Setting> all;
    all.push_back(make(SettingType::kInteger, "classes"));
    all.back().is_required = true;
    all.back().range = "[1, inf)";
    all.back().help = "Number of classes";
    all.push_back(make(SettingType::kReal, "dropout"));
    all.back().default_value = "0.5";
    all.back().range = "[0, 1)";
    all.push_back(make(SettingType::kInteger, "hidden"));
    all.back().list_depth = 1;
    all.back().takes_list_or_one = true;
    all.back().range = "[1, 1000]";
    all.back().length = "[0, 3]";
    all.push_back(make(SettingType::kEnumeration, "cell"));
    all.back().choices = {"LSTM", "GRU"};
    all.back().default_value = "\"LSTM\"";
    all.push_back(make(SettingType::kPath, "folder"));
    all.back().default_value = "\"~/data\"";
    all.push_back(make(SettingType::kBoolean, "bias"));
    all.back().default_value = "true";
    all.push_back(make(SettingType::kString, "words"));
    all.back().list_depth = 2;
    all.push_back(make(SettingType::kReal, "scale"));
    all.push_back(make(SettingType::kAny, "extra"));
    Setting out = make(SettingType::kInteger, "out_channels");
    out.is_required = true;
    Setting kernel = make(SettingType::kInteger, "kernel_size");
    kernel.default_value = "3";
    all.push_back(make(SettingType::kTable, "conv"));
    all.back().list_depth = 1;
    all.back().members = {out, kernel};
    all.push_back(make(SettingType::kTable, "pool"));
    all.back().default_value = "{ out_channels = 7 }";
    all.back().members = {out, kernel};
    return all;
}

struct Checked {
    std::vector<std::optional<ptp::Value>> values;
    std::string problems;
};

Checked check(std::string_view toml, std::filesystem::path home = "/home/ada") {
    ptp::Diagnostics problems;
    const auto table = ptp::read_toml(toml, "dir/e.toml", problems);
    REQUIRE(table);
    const pipeline::SettingsSource source{
        *table, "pipeline.net", {"dir/e.toml", 3, 1}, std::move(home)};
    auto values =
        pipeline::check_settings(declared(), pipeline::keys_of(declared()), source, problems);
    return {std::move(values), problems.text()};
}

std::string shown(const Checked& checked, const std::string& name) {
    const auto all = declared();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].name != name) {
            continue;
        }
        return checked.values[i] ? ptp::inline_toml(*checked.values[i]) : "absent";
    }
    return "undeclared";
}

}  // namespace

TEST_CASE("settings: defaults are filled in, and absent is absent") {
    const Checked checked = check("classes = 10");
    CHECK(checked.problems == "");
    CHECK(shown(checked, "classes") == "10");
    CHECK(shown(checked, "dropout") == "0.5");
    CHECK(shown(checked, "hidden") == "absent");
    CHECK(shown(checked, "cell") == "\"LSTM\"");
    CHECK(shown(checked, "folder") == "\"/home/ada/data\"");
    CHECK(shown(checked, "bias") == "true");
    CHECK(shown(checked, "extra") == "absent");
}

TEST_CASE("settings: values reach the component in the form it declares") {
    const Checked checked = check(
        "classes = 2\ndropout = 0\nhidden = 8\nfolder = \"images\"\nextra = { a = [1, \"x\"] }\n"
        "words = [[\"a\"], []]\nconv = [{ out_channels = 6 }]");
    CHECK(checked.problems == "");
    CHECK(shown(checked, "dropout") == "0.0");
    CHECK(shown(checked, "hidden") == "[8]");
    const auto folder = std::filesystem::absolute("dir/images").string();
    CHECK(shown(checked, "folder") == "\"" + folder + "\"");
    CHECK(shown(checked, "extra") == "{ a = [1, \"x\"] }");
    CHECK(shown(checked, "words") == "[[\"a\"], []]");
    CHECK(shown(checked, "conv") == "[{ out_channels = 6, kernel_size = 3 }]");
}

TEST_CASE("settings: what a table does not say is as in its default, then as in its members'") {
    CHECK(shown(check("classes = 2"), "pool") == "{ out_channels = 7, kernel_size = 3 }");
    CHECK(shown(check("classes = 2\npool = { kernel_size = 2 }"), "pool") ==
          "{ out_channels = 7, kernel_size = 2 }");
    CHECK(shown(check("classes = 2\npool = { out_channels = 1 }"), "pool") ==
          "{ out_channels = 1, kernel_size = 3 }");
}

TEST_CASE("settings: an empty path is refused, which would begin at the current folder") {
    CHECK(check("classes = 2\nfolder = \"\"").problems ==
          "dir/e.toml:2:10: pipeline.net.folder = \"\": must not be empty\n"
          "    fix: name a file or folder; \".\" is the folder of the experiment");
}

TEST_CASE("settings: what is wrong is refused with its place and the rule it breaks") {
    struct Case {
        const char* toml;
        const char* problem;
    };
    const Case cases[] = {
        {"",
         "dir/e.toml:3:1: pipeline.net.classes: required, but missing: an integer in [1, inf) "
         "(Number of classes)"},
        {"classes = 0", "dir/e.toml:1:11: pipeline.net.classes = 0: must be in [1, inf)"},
        {"classes = 2.0",
         "dir/e.toml:1:11: pipeline.net.classes = 2.0: must be an integer in [1, inf), not a real\n"
         "    fix: write 2"},
        {"classes = 2\ndropuot = 0.1",
         "dir/e.toml:2:1: pipeline.net.dropuot: unknown setting; did you mean 'dropout'?"},
        {"classes = 2\ndropuot = true",
         "dir/e.toml:2:1: pipeline.net.dropuot: unknown setting; there is 'dropout', which must be "
         "a real in [0, 1)"},
        {"classes = 2\nstream = {}",
         "dir/e.toml:2:1: pipeline.net.stream: unknown setting; did you mean 'streams'?"},
        {"classes = 2\nzzz = 1",
         "dir/e.toml:2:1: pipeline.net.zzz: unknown setting; known: classes, dropout, hidden, "
         "cell, folder, bias, words, scale, extra, conv, pool"},
        {"classes = 2\ndropout = 1",
         "dir/e.toml:2:11: pipeline.net.dropout = 1: must be in [0, 1)"},
        {"classes = 2\ndropout = nan",
         "dir/e.toml:2:11: pipeline.net.dropout = nan: must be in [0, 1)"},
        {"classes = 2\nscale = inf", "dir/e.toml:2:9: pipeline.net.scale = inf: must be finite"},
        {"classes = 2\nscale = nan", "dir/e.toml:2:9: pipeline.net.scale = nan: must be finite"},
        {"classes = 2\nhidden = [8, 0]",
         "dir/e.toml:2:14: pipeline.net.hidden[1] = 0: must be in [1, 1000]"},
        {"classes = 2\nhidden = [1, 2, 3, 4]",
         "dir/e.toml:2:10: pipeline.net.hidden = [1, 2, 3, 4]: must have at most 3 items, has 4"},
        {"classes = 2\nhidden = \"8\"",
         "dir/e.toml:2:10: pipeline.net.hidden = \"8\": must be an integer or a list of integers "
         "in [1, 1000], not a string\n    fix: remove the quotes: 8"},
        {"classes = 2\ncell = \"lstm\"",
         "dir/e.toml:2:8: pipeline.net.cell = \"lstm\": must be one of LSTM, GRU; did you "
         "mean 'LSTM'?"},
        {"classes = 2\ncell = 1",
         "dir/e.toml:2:8: pipeline.net.cell = 1: must be a string, one of LSTM, GRU, not an "
         "integer"},
        {"classes = 2\nbias = 1",
         "dir/e.toml:2:8: pipeline.net.bias = 1: must be a boolean, not an "
         "integer\n    fix: write true"},
        {"classes = 2\nwords = [\"a\"]",
         "dir/e.toml:2:10: pipeline.net.words[0] = \"a\": must be a list of strings, not a string"},
        {"classes = 2\nconv = [{ kernel_size = 3 }]",
         "dir/e.toml:2:9: pipeline.net.conv[0].out_channels: required, but missing: an integer"},
        {"classes = 2\nconv = [{ out_channels = 3, kernel = 3 }]",
         "dir/e.toml:2:29: pipeline.net.conv[0].kernel: unknown setting; did you mean "
         "'kernel_size'?"},
        {"clases = 2",
         "dir/e.toml:1:1: pipeline.net.clases: unknown setting; did you mean 'classes'?"},
        {"classes = 2\nconv = [{ out_chanels = 3 }]",
         "dir/e.toml:2:11: pipeline.net.conv[0].out_chanels: unknown setting; did you mean "
         "'out_channels'?"},
        {"classes = 2\nconv = [{ out_channels = 3, kernal = 5 }]",
         "dir/e.toml:2:29: pipeline.net.conv[0].kernal: unknown setting; did you mean "
         "'kernel_size'?"},
        {"classes = 2\nfolder = \"~ada/data\"",
         "dir/e.toml:2:10: pipeline.net.folder = \"~ada/data\": '~' is not known here: use an "
         "absolute path"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.toml);
        CHECK(check(c.toml).problems == c.problem);
    }
}

TEST_CASE("settings: advice on values of other programs is one that the setting takes") {
    const auto problems_of = [](const Setting& setting, const char* toml) {
        ptp::Diagnostics problems;
        const auto table = ptp::read_toml(toml, "e.toml", problems);
        REQUIRE(table);
        const pipeline::SettingsSource source{*table, "pipeline.net", {"e.toml", 1, 1}, "/home"};
        static_cast<void>(
            pipeline::check_settings({setting}, pipeline::keys_of({setting}), source, problems));
        return problems.text();
    };
    Setting digits = make(SettingType::kInteger, "precision");
    digits.range = "[1, 8]";
    CHECK(problems_of(digits, "precision = 16") ==
          "e.toml:1:13: pipeline.net.precision = 16: must be in [1, 8]");
    Setting separator = make(SettingType::kEnumeration, "separator");
    separator.choices = {"comma", "semicolon"};
    CHECK(problems_of(separator, "separator = \";\"") ==
          "e.toml:1:13: pipeline.net.separator = \";\": must be one of comma, semicolon\n"
          "    fix: write separator = \"semicolon\"");
    separator.choices = {"none", "space"};
    CHECK(problems_of(separator, "separator = \";\"") ==
          "e.toml:1:13: pipeline.net.separator = \";\": must be one of none, space");
}

TEST_CASE("settings: all that is wrong is reported at once") {
    CHECK(check("classes = 0\ndropout = 2.0\nbais = true").problems ==
          "dir/e.toml:1:11: pipeline.net.classes = 0: must be in [1, inf)\n"
          "dir/e.toml:2:11: pipeline.net.dropout = 2.0: must be in [0, 1)\n"
          "dir/e.toml:3:1: pipeline.net.bais: unknown setting; did you mean 'bias'?");
}

TEST_CASE("settings: with samples without targets other data are not needed, and refused") {
    Setting data = make(SettingType::kPath, "data_folder");
    data.is_required = true;
    data.obtain = "make it";
    Setting list = make(SettingType::kPath, "label_list");
    list.default_value = "\"labels.txt\"";
    list.obtain = "make it";
    Setting files = make(SettingType::kPath, "files");
    files.list_depth = 1;
    files.takes_list_or_one = true;
    files.takes_unlabeled = true;
    const auto problems_of = [&](const char* toml) {
        ptp::Diagnostics problems;
        const auto table = ptp::read_toml(toml, "e.toml", problems);
        const pipeline::SettingsSource source{*table, "test.task", {"e.toml", 3, 1}, "/home/ada"};
        const auto values = pipeline::check_settings(
            {data, list, files}, pipeline::keys_of({data, list, files}), source, problems);
        if (problems.ok() && values[2]) {
            CHECK_FALSE(values[0]);
            CHECK_FALSE(values[1]);  // a record of the settings must not have it
        }
        return problems.text();
    };
    CHECK(problems_of("files = \"a.png\"") == "");
    CHECK(problems_of("data_folder = \"a\"") == "");
    CHECK(problems_of("") == "e.toml:3:1: test.task.data_folder: required, but missing: a path");
    CHECK(
        problems_of("files = [\"a.png\"]\ndata_folder = \"a\"") ==
        "e.toml:2:15: test.task.data_folder = \"a\": is not read, because 'files' is given; remove "
        "one of them");
}

TEST_CASE("settings: a list of a wrong length is refused with the number of items there may be") {
    struct Case {
        const char* length;
        const char* list;
        const char* problem;
    };
    const Case cases[] = {
        {"[1, inf)", "[]", "must have at least 1 item, has 0"},
        {"(1, inf)", "[5]", "must have at least 2 items, has 1"},
        {"[0, 1]", "[5, 6]", "must have at most 1 item, has 2"},
        {"[0, 3)", "[5, 6, 7]", "must have at most 2 items, has 3"},
        {"[2, 2]", "[5]", "must have 2 items, has 1"},
        {"[1, 1]", "[]", "must have 1 item, has 0"},
        {"[2, 4]", "[5]", "must have 2 to 4 items, has 1"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.length);
        Setting numbers = make(SettingType::kInteger, "numbers");
        numbers.list_depth = 1;
        numbers.length = c.length;
        ptp::Diagnostics problems;
        const auto table = ptp::read_toml("numbers = " + std::string(c.list), "e.toml", problems);
        const pipeline::SettingsSource source{*table, "net", {"e.toml", 1, 1}, "/home/ada"};
        pipeline::check_settings({numbers}, pipeline::keys_of({numbers}), source, problems);
        CHECK(problems.text() ==
              "e.toml:1:11: net.numbers = " + std::string(c.list) + ": " + std::string(c.problem));
    }
}

}  // namespace settings_test
