#include "experiment/load/load.hpp"

#include "base/toml_writer.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

namespace load_test {

using namespace ptp;
using namespace ptp::experiment;
using namespace ptp::experiment::test;

TEST_CASE("load: later includes win over earlier ones, and the file over its includes") {
    Loader loader("include = ['a.toml', 'sub/b.toml']\nx = 'own'\n[t]\nz = 3\n");
    loader.write("a.toml", "x = 'a'\ny = 'a'\nw = 'a'\n[t]\nx = 1\nlist = [1, 2, 3]\n");
    loader.write("sub/b.toml", "include = 'c.toml'\ny = 'b'\n[t]\ny = 2\nlist = [9]\n");
    loader.write("sub/c.toml", "y = 'c'\nv = 'c'\n");
    const auto root = loader.load();
    REQUIRE(loader.problems() == "");
    CHECK(*root ==
          Value::table(
              {{"x", "own"},
               {"y", "b"},
               {"w", "a"},
               {"v", "c"},
               {"t", Value::table({{"x", 1}, {"y", 2}, {"z", 3}, {"list", Value::list({9})}})}}));
    CHECK(root->find_path("t.list")->place() ==
          SourceLocation(loader.folder() + "/sub/b.toml", 5, 8));
}

TEST_CASE("load: '~' in an include is the home folder") {
    Loader loader("include = '~/base.toml'");
    loader.write("home/base.toml", "x = 1");
    CHECK(*loader.load() == Value::table({{"x", 1}}));
}

TEST_CASE("load: a file may be reached on two ways") {
    Loader loader("include = ['a.toml', 'sub/b.toml']");
    loader.write("a.toml", "include = 'base.toml'\na = 1");
    loader.write("sub/b.toml", "include = '../base.toml'\nb = 1");
    loader.write("base.toml", "base = 1");
    const auto root = loader.load();
    CHECK(loader.problems() == "");
    CHECK(*root == Value::table({{"base", 1}, {"a", 1}, {"b", 1}}));
}

TEST_CASE("load: an include circle is refused and its files are named") {
    Loader loader("include = 'a.toml'");
    loader.write("a.toml", "include = 'b.toml'");
    loader.write("b.toml", "\ninclude = ['./a.toml']");
    CHECK_FALSE(loader.load());
    CHECK(
        loader.problems() ==
        "b.toml:2:12: include = \"./a.toml\": includes go in a circle: a.toml -> b.toml -> a.toml");
}

TEST_CASE("load: a file that includes itself is refused") {
    CHECK(problems_of_loading("include = 'x.toml'") ==
          "x.toml:1:11: include = \"x.toml\": includes go in a circle: x.toml -> x.toml");
}

TEST_CASE("load: all files that cannot be read are reported, each where it is included") {
    Loader loader(
        "include = ['missing.toml', 'folder', 'broken.toml', 'fine.toml', '~you/a.toml']");
    loader.write("folder/a.toml", "");
    loader.write("broken.toml", "a = ");
    loader.write("fine.toml", "include = 'gone.toml'");
    CHECK_FALSE(loader.load());
    CHECK(loader.problems() ==
          "broken.toml:1:5: not valid TOML: the text ends within a key-value pair\n"
          "fine.toml:1:11: include = \"gone.toml\": gone.toml: no such file\n"
          "x.toml:1:12: include = \"missing.toml\": missing.toml: no such file\n"
          "x.toml:1:28: include = \"folder\": folder: is a folder, not a file\n"
          "x.toml:1:66: include = \"~you/a.toml\": the home folder '~' is not known");
}

TEST_CASE("load: an experiment that cannot be read is reported") {
    Diagnostics problems;
    CHECK_FALSE(load_experiment({.file = "no/such.toml"}, problems));
    CHECK_FALSE(load_experiment({.file = "/dev/null"}, problems));
    CHECK(problems.text() ==
          "/dev/null: is not a regular file\nno/such.toml: no such file; there is no folder no");
}

TEST_CASE("load: beside a file that is not there the one is named whose name is near") {
    Loader loader("include = ['commn.toml', 'com.toml']");
    loader.write("common.toml", "");
    loader.write("common.txt", "");
    CHECK_FALSE(loader.load());
    CHECK(loader.problems() ==
          "x.toml:1:12: include = \"commn.toml\": commn.toml: no such file; did you mean "
          "'common.toml'?\n"
          "x.toml:1:26: include = \"com.toml\": com.toml: no such file");
}

TEST_CASE("load: files that are too large or in a circle of links are refused") {
    Loader loader("include = ['large.toml', 'link_a', 'x.toml/y.toml']");
    loader.write("large.toml", "");
    const std::filesystem::path folder = loader.folder();
    std::filesystem::resize_file(folder / "large.toml", (64u << 20) + 1);
    std::filesystem::create_symlink("link_b", folder / "link_a");
    std::filesystem::create_symlink("link_a", folder / "link_b");
    CHECK_FALSE(loader.load());
    CHECK(loader.problems() ==
          "x.toml:1:12: include = \"large.toml\": large.toml: is larger than 64 MiB\n"
          "x.toml:1:26: include = \"link_a\": link_a: cannot be read: Too many levels of symbolic "
          "links\n"
          "x.toml:1:36: include = \"x.toml/y.toml\": x.toml/y.toml: no such file");
}

TEST_CASE("load: files of the system that have no size are read up to the limit, or refused") {
    CHECK(problems_of_loading("include = '/proc/self/pagemap'") ==
          "x.toml:1:11: include = \"/proc/self/pagemap\": /proc/self/pagemap: is larger than 64 "
          "MiB");
    CHECK(problems_of_loading("include = '/proc/self/mem'") ==
          "x.toml:1:11: include = \"/proc/self/mem\": /proc/self/mem: cannot be read: "
          "Input/output error");
}

TEST_CASE("load: a long row of includes is refused") {
    Loader loader("include = '1.toml'");
    for (int i = 1; i < 70; ++i) {
        loader.write(std::to_string(i) + ".toml", "include = '" + std::to_string(i + 1) + ".toml'");
    }
    CHECK_FALSE(loader.load());
    // x.toml is the first of the 64, 63.toml the last.
    CHECK(loader.problems() ==
          "63.toml:1:11: include = \"64.toml\": more than 64 includes in a row");
}

TEST_CASE("load: an empty file is an empty experiment") {
    CHECK(tree("") == Value());
    CHECK(tree("# nothing\n") == Value());
    CHECK(tree("include = []") == Value());
}

TEST_CASE("load: an include must be a file name or a list of them") {
    const char* message = "must be a file name or a list of file names";
    CHECK(problems_of_loading("include = 1") ==
          std::string("x.toml:1:11: include = 1: ") + message);
    CHECK(problems_of_loading("include = ['a', 1]") ==
          std::string("x.toml:1:11: include = [\"a\", 1]: ") + message);
}

TEST_CASE("load: a key that is a value or a table takes another form from what is above") {
    Loader loader("include = 'a.toml'\nx = 5\n[y]\nb = 2\n");
    loader.write("a.toml", "y = true\nz = 0.5\nlist = [1]\n[x]\na = 1\n");
    const auto text = [&](const std::vector<std::string>& overrides) {
        const auto root = loader.load(overrides);
        REQUIRE(loader.problems() == "");
        return inline_toml(*root);
    };
    CHECK(text({}) == "{ y = { b = 2 }, z = 0.5, list = [1], x = 5 }");
    CHECK(text({"y=none", "z={norm=1.0}", "list={a = 1}", "x=[2]"}) ==
          "{ y = \"none\", z = { norm = 1.0 }, list = { a = 1 }, x = [2] }");
    CHECK(text({"z.norm=1.0", "x.a.b=1"}) ==
          "{ y = { b = 2 }, z = { norm = 1.0 }, list = [1], x = { a = { b = 1 } } }");
}

TEST_CASE("load: a variable is neither replaced by a table nor replaces one: it may be a table") {
    Loader loader("include = 'a.toml'\nx = '${v}'\n[y]\nb = 2\n");
    loader.write("a.toml", "y = '${v}'\n[x]\na = 1\n[vars]\nv = { c = 3 }\n");
    CHECK(loader.load());
    CHECK(loader.problems() ==
          "x.toml:2:5: x = \"${v}\": a string here, but a table at a.toml:2:1; of a table and a "
          "variable neither replaces the other\n    fix: set the variable, or write its value\n"
          "x.toml:3:1: y = { b = 2 }: a table here, but a string at a.toml:1:5; of a table and a "
          "variable neither replaces the other\n    fix: set the variable, or write its value");
    CHECK(problems_of_loading("x = '${v}/a'\n[vars]\nv = 1\n", {"x.y=1"}) ==
          "--set: x.y: x is a string at x.toml:1:5, so nothing can be set in it");
}

TEST_CASE("load: what several sections take from a variable is set by the variable's name") {
    const std::string text =
        "[a]\nsplit = '${split}'\nfolder = '${folder}/a'\n[b]\nsplit = '${split}'\nn = '${seed}'\n"
        "[vars]\nfolder = 'x'\nseed = 2\n[vars.split]\nshares = [0.7, 0.3]\n";
    struct Case {
        std::string override;
        std::string message;
        std::string fix;  // which works when it is typed
    };
    const std::string neither =
        "a table here, but a string at x.toml:2:9; of a table and a variable neither replaces the "
        "other";
    const Case cases[] = {
        {"folder=my data", "folder: unknown key; [vars] has it, at x.toml:8:10",
         "'vars.folder=my data'"},
        {"split.shares=[0.8,0.2]", "split: unknown key; [vars] has it, at x.toml:10:1",
         "'vars.split.shares=[0.8,0.2]'"},
        {"a.split.shares=[0.8,0.2]",
         "a.split.shares: a.split is \"${split}\" at x.toml:2:9, so nothing can be set in it",
         "'vars.split.shares=[0.8, 0.2]'"},
        {"a.split={seed=3}", "a.split = { seed = 3 }: " + neither, "'vars.split={ seed = 3 }'"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.override);
        CHECK(problems_of_loading(text, {c.override}) ==
              "--set: " + c.message + "\n    fix: --set " + c.fix);
        CHECK(problems_of_loading(text, {c.fix.substr(1, c.fix.size() - 2)}) == "");
    }
    // A key of experiments is that key.
    CHECK(tree(text, {"seed=4"}).find("seed")->as_integer() == 4);
}

TEST_CASE("load: an override wins over all files and takes TOML or plain text") {
    Loader loader("include = 'a.toml'\n[t]\nx = 1\nlist = [1, 2]\n");
    loader.write("a.toml", "[t]\ny = 'a'");
    const auto root = loader.load({"t.x=2.5", "t.y = some text", "t.list.1=7", "t.'a b'.\"c\"=true",
                                   "t.empty=", "t.when=1979-05-27", "t.n=[1, {a = 2}]"});
    REQUIRE(loader.problems() == "");
    CHECK(*root->find("t") == Value::table({{"x", 2.5},
                                            {"list", Value::list({1, 7})},
                                            {"y", "some text"},
                                            {"a b", Value::table({{"c", true}})},
                                            {"empty", ""},
                                            {"when", "1979-05-27"},
                                            {"n", Value::list({1, Value::table({{"a", 2}})})}}));
    CHECK(root->find_path("t.x")->place().text() == "--set");
}

TEST_CASE("load: a table of another type replaces the one below it, and one of the same merges") {
    Loader loader(
        "include = \"base.toml\"\n[optimizer]\ntype = \"SGD\"\nmomentum = 0.5\n"
        "[sampler]\ntype = \"A\"\nfold = 1\n");
    loader.write("base.toml",
                 "[optimizer]\ntype = \"Adam\"\nlr = 0.1\nbetas = [0.8, 0.9]\n"
                 "groups = { net = { lr = 0.2 } }\n[sampler]\ntype = \"A\"\nindices = [0, 4]\n");
    const auto text = [&](const std::vector<std::string>& overrides) {
        const auto root = loader.load(overrides);
        REQUIRE(loader.problems() == "");
        return inline_toml(*root);
    };
    const std::string sampler = ", sampler = { type = \"A\", indices = [0, 4], fold = 1 } }";
    CHECK(text({}) == "{ optimizer = { type = \"SGD\", momentum = 0.5 }" + sampler);
    CHECK(text({"optimizer={type=\"Adam\",lr=1}"}) ==
          "{ optimizer = { type = \"Adam\", lr = 1 }" + sampler);
    CHECK(text({"optimizer={type=\"SGD\",lr=1}"}) ==
          "{ optimizer = { type = \"SGD\", momentum = 0.5, lr = 1 }" + sampler);
    // One value is one value.
    CHECK(text({"optimizer.type=Adam"}) ==
          "{ optimizer = { type = \"Adam\", momentum = 0.5 }" + sampler);
}

TEST_CASE("load: a table given as an override merges") {
    CHECK(tree("[t]\nx = 1", {"t={y = 2}"}) ==
          Value::table({{"t", Value::table({{"x", 1}, {"y", 2}})}}));
}

TEST_CASE("load: an empty table given as an override empties the one that is there") {
    const auto text = [](const std::vector<std::string>& overrides) {
        return inline_toml(tree("[t]\nx = 1\nu = { y = 2 }\n", overrides));
    };
    CHECK(text({"t.u={}"}) == "{ t = { x = 1, u = {} } }");
    CHECK(text({"t={}"}) == "{ t = {} }");
    CHECK(text({"t.u={}", "t.u.z=3"}) == "{ t = { x = 1, u = { z = 3 } } }");
    CHECK(text({"t.x={}"}) == "{ t = { x = {}, u = { y = 2 } } }");
}

TEST_CASE("load: overrides that cannot be applied are refused") {
    struct Case {
        const char* override;
        const char* message;
    };
    const Case cases[] = {
        {"x", "--set: 'x' is not of the form key.path=value"},
        {"=1", "--set: '=1' is not of the form key.path=value"},
        {"lr:0.1",
         "--set: 'lr:0.1' is not of the form key.path=value\n"
         "    fix: --set training.optimizer.lr=0.1"},
        {"t.x: 3", "--set: 't.x: 3' is not of the form key.path=value\n    fix: --set t.x=3"},
        {"l[x]=1",
         "--set: 'l[x]=1' is not of the form key.path=value\n"
         "    fix: --set l[0]=VALUE sets the first item of the list, --set l=[...] all"},
        {"l=(0.9, 3)",
         "--set: 'l=(0.9, 3)': a list is in [ ], not in ( )\n    fix: --set 'l=[0.9, 3]'"},
        {"a..b=1", "--set: 'a..b=1' is not of the form key.path=value"},
        {"a b=1", "--set: 'a b=1' is not of the form key.path=value"},
        {"'a=1", "--set: ''a=1' is not of the form key.path=value"},
        {"x='\xff'", "--set: a value is set that is not UTF-8 text"},
        {"x=[1", "--set: 'x=[1': the value is not valid TOML"},
        {"x='a", "--set: 'x='a': the value is not valid TOML"},
        {"x=9223372036854775808",
         "--set: 'x=9223372036854775808': the number is too large for an integer"},
        {"x=-9223372036854775809",
         "--set: 'x=-9223372036854775809': the number is too large for an integer"},
        {"include=b.toml", "--set: include: cannot be set here; only files include files"},
        {"l.2=1", "--set: l.2: l is a list of 2 at x.toml:2:5, items count from 0"},
        {"l.a.b=1", "--set: l.a: l is a list of 2 at x.toml:2:5, items count from 0"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.override);
        CHECK(problems_of_loading("x = 1\nl = [1, 2]\n[t]\n", {c.override}) == c.message);
    }
}

TEST_CASE("load: overrides are judged even when the file cannot be read") {
    CHECK(problems_of_loading("x = ", {"a", "b=1"}) ==
          "--set: 'a' is not of the form key.path=value\n"
          "x.toml:1:5: not valid TOML: the text ends within a key-value pair");
}

TEST_CASE("load: overrides and variables cannot nest deeper than a file can") {
    const std::string open(20, '[');
    const std::string close(20, ']');
    // a, 20 lists, the variable's 20 lists: the list on level 33 is the variable's 13th.
    const std::string key = "a" + [] {
        std::string items;
        for (int i = 0; i < 32; ++i) {
            items += "[0]";
        }
        return items;
    }();
    CHECK(problems_of_loading("a = " + open + "'${v}'" + close + "\n[vars]\nv = " + open + "1" +
                              close) ==
          "x.toml:3:17: " + key + " = [[[[[[[[1]]]]]]]]: nested more than 32 levels deep");
}

}  // namespace load_test
