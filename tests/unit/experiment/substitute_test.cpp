
#include "support.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

namespace substitute_test {

using namespace ptp;
using namespace ptp::experiment;
using namespace ptp::experiment::test;

TEST_CASE("vars: a variable that stands alone keeps its type") {
    const Value root = tree(
        "a = '${i}'\nb = ['${r}', '${b}']\nc = '${l}'\n[t]\nd = '${t}'\n"
        "[vars]\ni = 1\nr = 0.5\nb = true\nl = [1, 'x']\nt = { k = 2 }\n");
    CHECK(root == Value::table({{"a", 1},
                                {"b", Value::list({0.5, true})},
                                {"c", Value::list({1, "x"})},
                                {"t", Value::table({{"d", Value::table({{"k", 2}})}})}}));
}

TEST_CASE("vars: within a longer string scalars are written in") {
    const Value root = tree(
        "a = 'n=${i}, ${r}/${b} of ${s}'\nb = '${s}${s}'\n"
        "[vars]\ni = 1\nr = 1.0\nb = true\ns = 'text'\n");
    CHECK(*root.find("a") == Value("n=1, 1.0/true of text"));
    CHECK(*root.find("b") == Value("texttext"));
}

TEST_CASE("vars: '$${' is a plain '${', and other dollars are themselves") {
    const Value root =
        tree("a = '$${x}'\nb = '$5 $x {x} $'\nc = '${v}-$${v}'\nd = '$$${v}'\n[vars]\nv = 1\n");
    CHECK(*root.find("a") == Value("${x}"));
    CHECK(*root.find("b") == Value("$5 $x {x} $"));
    CHECK(*root.find("c") == Value("1-${v}"));
    CHECK(*root.find("d") == Value("$${v}"));
}

TEST_CASE("vars: variables may use variables, in any order") {
    CHECK(*tree("a = '${x}'\n[vars]\nx = ['${y}', 3]\ny = '${z}'\nz = 5\n").find("a") ==
          Value::list({5, 3}));
}

TEST_CASE("vars: a value takes the place where it is used") {
    const Value root = tree("\n  a = '${v}'\n[vars]\nv = 1\n");
    CHECK(root.find("a")->place().line() == 2);
    CHECK(root.find("a")->place().column() == 7);
}

TEST_CASE("vars: a text of the command line keeps its place, where relative paths of it begin") {
    const char* text =
        "a = '${v}'\nb = '${v}/x'\nc = 'x/${v}'\nd = '${n}'\n[vars]\nv = 'f'\nn = '${v}/y'\n";
    const auto file_of = [&](const char* key) {
        const Value root = tree(text, {"vars.v=g"});
        return std::string(std::filesystem::path(root.find(key)->place().file()).filename());
    };
    CHECK(file_of("a") == "--set");
    CHECK(file_of("b") == "--set");
    CHECK(file_of("c") == "x.toml");
    CHECK(file_of("d") == "--set");
    CHECK(*tree(text, {"vars.v=g"}).find("d") == Value("g/y"));
}

TEST_CASE("vars: an override can set a variable before it is used") {
    const char* text = "a = '${v}'\n[vars]\nv = 1\n";
    CHECK(*tree(text, {"vars.v=0.25"}).find("a") == Value(0.25));
    CHECK(*tree(text, {"a=x${v}"}).find("a") == Value("x1"));
}

TEST_CASE("vars: the including file's variables win") {
    Loader loader("include = 'a.toml'\n[vars]\nv = 2\n");
    loader.write("a.toml", "a = '${v}'\n[vars]\nv = 1\n");
    CHECK(*loader.load() == Value::table({{"a", 2}}));
}

TEST_CASE("vars: a text of another folder keeps its place, where relative paths of it begin") {
    Loader loader(
        "include = 'parts/a.toml'\n[vars]\nv = 'f'\ni = 7\n"
        "[pipeline.p]\nuse = 'g'\nparameters = { folder = 'f' }\n");
    loader.write("parts/a.toml",
                 "a = '${v}'\nb = '${v}/x'\nc = 'x/${v}'\nd = '${n}'\ne = '${m}'\nf = '${i}'\n"
                 "h = ['${v}']\n[vars]\nv = 'f'\nn = '${v}/y'\nm = 'z'\n"
                 "[group.g]\nparameters = { folder = 'd' }\n"
                 "[group.g.net]\ntype = 'Net'\nx = '${folder}'\ny = '${folder}/y'\n"
                 "z = 'y/${folder}'\n");
    const auto root = loader.load();
    REQUIRE(loader.problems() == "");
    const auto file_of = [&](const char* key) {
        const Value& value = *root->find_path(key);
        return std::filesystem::relative(
                   (value.is_list() ? value.items()[0] : value).place().file(), loader.folder())
            .string();
    };
    for (const char* key : {"a", "b", "d", "h", "pipeline.p_net.x", "pipeline.p_net.y"}) {
        CAPTURE(key);
        CHECK(file_of(key) == "x.toml");
    }
    for (const char* key : {"c", "e", "f", "pipeline.p_net.z"}) {
        CAPTURE(key);
        CHECK(file_of(key) == "parts/a.toml");
    }
}

TEST_CASE("vars: mistakes are reported where they stand") {
    struct Case {
        const char* text;
        const char* message;
    };
    const Case cases[] = {
        {"a = '${ratee}'\nb = '${rate}'\n[vars]\nrate = 1",
         "x.toml:1:5: a = \"${ratee}\": unknown variable 'ratee'; did you mean 'rate'?"},
        {"a = ['${x}']", "x.toml:1:6: a[0] = \"${x}\": unknown variable 'x'"},
        {"[t]\na = 'x${}'", "x.toml:2:5: t.a = \"x${}\": unknown variable ''"},
        {"a = 'x${v'\nb = '${v}'\n[vars]\nv = 1",
         "x.toml:1:5: a = \"x${v\": '${' without '}'; a plain '${' is written '$${'"},
        {"a = '${v'\nb = '${v}'\n[vars]\nv = 1",
         "x.toml:1:5: a = \"${v\": '${' without '}'; a plain '${' is written '$${'"},
        {"a = 'x${v}'\n[vars]\nv = [1]",
         "x.toml:1:5: a = \"x${v}\": variable 'v' is a list, which cannot be part of a string"},
        {"a = 'x${v}'\n[vars]\nv = {}",
         "x.toml:1:5: a = \"x${v}\": variable 'v' is a table, which cannot be part of a string"},
        {"[vars]\na = '${b}'\nb = '${c}'\nc = 'x ${a}'",
         "x.toml:2:1: vars.a: warning: never used\n"
         "x.toml:3:1: vars.b: warning: never used\n"
         "x.toml:4:1: vars.c: warning: never used\n"
         "x.toml:4:5: vars.c = \"x ${a}\": variables go in a circle: a -> b -> c -> a"},
        {"a = '${v}'\n[vars]\nv = ['${x}']",
         "x.toml:1:5: a = \"${v}\": variable 'v' has an error in it\n"
         "x.toml:3:6: vars.v[0] = \"${x}\": unknown variable 'x'; known: v"},
        {"[vars]\nv = 1", "x.toml:2:1: vars.v: warning: never used"},
        {"vars = 1", "x.toml:1:8: vars = 1: must be a table, not an integer"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.text);
        CHECK(problems_of_loading(c.text) == c.message);
    }
}

TEST_CASE("vars: all mistakes are reported, and none twice") {
    CHECK(problems_of_loading("a = '${x}'\nb = '${w}'\nc = '${v}'\n[vars]\nv = 1\nw = '${v'\n") ==
          "x.toml:1:5: a = \"${x}\": unknown variable 'x'; known: v, w\n"
          "x.toml:2:5: b = \"${w}\": variable 'w' has an error in it\n"
          "x.toml:6:5: vars.w = \"${v\": '${' without '}'; a plain '${' is written '$${'");
}

TEST_CASE("vars: variables that multiply without bound are refused") {
    std::string text = "a = '${v0}'\n[vars]\n";
    for (int i = 0; i < 20; ++i) {
        const std::string next = "'${v" + std::to_string(i + 1) + "}'";
        text += "v" + std::to_string(i) + " = [" + next + ", " + next + ", " + next + ", " + next +
                "]\n";
    }
    text += "v20 = 'x'\n";
    const std::string problems = problems_of_loading(text);
    CHECK(problems.find("the variables make the experiment larger than 16 MiB") !=
          std::string::npos);
}

TEST_CASE("vars: a long row of variables is refused") {
    std::string text = "a = '${v0}'\n[vars]\nv100 = 1\n";
    for (int i = 0; i < 100; ++i) {
        text += "v" + std::to_string(i) + " = '${v" + std::to_string(i + 1) + "}'\n";
    }
    CHECK(problems_of_loading(text).find(
              "vars.v31 = \"${v32}\": more than 32 variables in a row") != std::string::npos);
}

}  // namespace substitute_test
