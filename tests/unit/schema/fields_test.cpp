#include "schema/fields.hpp"

#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace fields_test {

namespace {

using namespace ptp;
using schema::Field;

// Reads a table by its fields; what is wrong with it.
std::string read(const char* toml, const std::vector<Field>& fields) {
    Diagnostics problems;
    const schema::ReadOptions options{.home = "/home/ada"};
    const auto table = read_toml(toml, "x.toml", problems);
    REQUIRE(table);
    schema::read_all_fields({*table, "", options, problems}, fields);
    return problems.text();
}

}  // namespace

TEST_CASE("fields: each type of target takes its values, and writes them again") {
    bool flag = false;
    std::int64_t count = 0;
    std::filesystem::path path;
    std::optional<double> share;
    std::vector<std::string> names;
    std::vector<schema::Placed<std::string>> placed;
    schema::Map<double> weights;
    std::optional<schema::NumberList<std::int64_t>> numbers;
    const std::vector<Field> fields = {
        {.name = "flag", .into = &flag},       {.name = "count", .into = &count},
        {.name = "path", .into = &path},       {.name = "share", .into = &share},
        {.name = "names", .into = &names},     {.name = "placed", .into = &placed},
        {.name = "weights", .into = &weights}, {.name = "numbers", .into = &numbers}};
    CHECK(inline_toml(schema::write_fields(fields)) == "{ flag = false, count = 0 }");
    CHECK(read("flag = true\ncount = 3\npath = '~/x'\nshare = 1\nnames = ['a']\n"
               "placed = ['b']\nweights = { loss = 2 }\nnumbers = '1, 2'\n",
               fields) == "");
    CHECK(placed.front().place.text() == "x.toml:6:11");
    CHECK(weights.front().key == "loss");
    CHECK(inline_toml(schema::write_fields(fields)) ==
          "{ flag = true, count = 3, path = \"/home/ada/x\", share = 1.0, names = [\"a\"], "
          "placed = [\"b\"], weights = { loss = 2.0 }, numbers = [1, 2] }");
}

TEST_CASE("fields: a value of another form goes to the second target") {
    bool is_frozen = false;
    std::vector<std::string> layers;
    const std::vector<Field> fields = {
        {.name = "freeze", .into = &is_frozen, .length = "[1, inf)", .or_into = {&layers}}};
    CHECK(read("freeze = true", fields) == "");
    CHECK(is_frozen);
    CHECK(read("freeze = ['fc']", fields) == "");
    CHECK(layers == std::vector<std::string>{"fc"});
    CHECK(inline_toml(schema::write_fields(fields)) == "{ freeze = [\"fc\"] }");
    CHECK(read("freeze = []", fields) ==
          "x.toml:1:10: freeze = []: must have at least 1 item, has 0");
    CHECK(read("freeze = 1", fields) ==
          "x.toml:1:10: freeze = 1: must be a boolean or a list of strings, not an integer\n"
          "    fix: write true");
}

TEST_CASE("fields: a key that is missing is named with what it is") {
    std::int64_t size = 0;
    CHECK(read("", {{.name = "batch_size",
                     .into = &size,
                     .help = "samples in a batch",
                     .range = "[1, inf)",
                     .is_required = true}}) ==
          "x.toml: batch_size: required, but missing: an integer in [1, inf) (samples in a batch)");
}

TEST_CASE("fields: an unknown key that is meant for one that is missing is named in its place") {
    std::string type;
    const std::vector<Field> fields = {
        {.name = "type", .into = &type, .choices = {"Adam", "SGD"}, .is_required = true}};
    const std::string meant = ": unknown key; did you mean 'type'?";
    CHECK(read("tpye = 'Adam'", fields) == "x.toml:1:1: tpye" + meant);
    CHECK(read("name = 'adam'", fields) == "x.toml:1:1: name" + meant);
    // A key that takes another type of value is not suggested.
    CHECK(read("name = 3", fields) ==
          "x.toml: type: required, but missing: a string, one of Adam, SGD\n"
          "x.toml:1:1: name: unknown key; known: type");
}

TEST_CASE("fields: an unknown key is refused") {
    bool flag = false;
    CHECK(read("flog = true", {{.name = "flag", .into = &flag}}) ==
          "x.toml:1:1: flog: unknown key; did you mean 'flag'?");
}

}  // namespace fields_test
