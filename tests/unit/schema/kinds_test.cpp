#include "schema/kinds.hpp"

#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "schema/key_record.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>

namespace kinds_test {

namespace {

using namespace ptp;

struct Options {
    double lr = 0;
    double momentum = 0;
    double beta = 0.9;

    schema::Kinds kinds() {
        return {.list = {{.name = "SGD", .fields = {momentum_field()}},
                         {.name = "RMSprop", .fields = {momentum_field()}},
                         {.name = "Adam", .fields = {{.name = "beta", .into = &beta}}}},
                .common = {{.name = "lr", .into = &lr, .is_required = true}}};
    }

    schema::Field momentum_field() { return {.name = "momentum", .into = &momentum}; }
};

struct Outcome {
    std::optional<std::size_t> chosen;
    std::string problems;
};

Outcome read(const char* toml, const schema::Kinds& kinds) {
    Diagnostics problems;
    const schema::ReadOptions options;
    const auto table = read_toml(toml, "x.toml", problems);
    REQUIRE(table);
    const auto chosen = schema::read_kind({*table, "", options, problems}, kinds);
    return {chosen, problems.text()};
}

}  // namespace

TEST_CASE("kinds: the type chooses the keys, and what was read is written again") {
    Options options;
    const schema::Kinds kinds = options.kinds();
    const Outcome outcome = read("type = 'RMSprop'\nlr = 1\nmomentum = 0.5", kinds);
    CHECK(outcome.problems == "");
    CHECK(outcome.chosen == 1);
    CHECK(options.momentum == 0.5);
    CHECK(inline_toml(schema::write_kind(kinds, 1)) ==
          "{ type = \"RMSprop\", lr = 1.0, momentum = 0.5 }");
}

TEST_CASE("kinds: a key of other types is refused by naming those that have it") {
    Options options;
    CHECK(read("type = 'Adam'\nlr = 1\nmomentum = 0.5", options.kinds()).problems ==
          "x.toml:3:1: momentum: Adam has no option 'momentum' (SGD and RMSprop have)");
    CHECK(read("type = 'SGD'\nlr = 1\nbeta = 0.5", options.kinds()).problems ==
          "x.toml:3:1: beta: SGD has no option 'beta' (Adam has)");
}

TEST_CASE("kinds: of a type that is unknown the keys of all are checked, and none is required") {
    Options options;
    const Outcome outcome =
        read("type = 'Adem'\nmomentum = 'x'\nbata = 1\nzz = 1", options.kinds());
    CHECK_FALSE(outcome.chosen);
    CHECK(outcome.problems ==
          "x.toml:1:8: type = \"Adem\": unknown type; did you mean 'Adam'?\n"
          "x.toml:2:12: momentum = \"x\": must be a real, not a string\n"
          "x.toml:3:1: bata: unknown key; did you mean 'beta'?");
}

TEST_CASE("kinds: the name of a class with its module leads to the type") {
    Options options;
    CHECK(read("type = 'torch.optim.Adam'", options.kinds()).problems ==
          "x.toml:1:8: type = \"torch.optim.Adam\": unknown type; did you mean 'Adam'?\n"
          "    fix: write \"Adam\"");
    CHECK(read("type = 'rmsprop'\nlr = 1", options.kinds()).problems ==
          "x.toml:1:8: type = \"rmsprop\": unknown type; did you mean 'RMSprop'?\n"
          "    fix: write \"RMSprop\"");
}

TEST_CASE("kinds: a missing type is an error unless a default is declared") {
    Options options;
    schema::Kinds kinds = options.kinds();
    CHECK(read("lr = 1", kinds).problems ==
          "x.toml: type: required, but missing: a string, one of SGD, RMSprop, Adam");
    kinds.default_name = "Adam";
    CHECK(read("lr = 1\nbeta = 0.5", kinds).chosen == 2);
}

TEST_CASE("kinds: all types are recorded, each with its keys") {
    Options options;
    schema::KeyRecord record;
    record.note("optimizer", options.kinds());
    const schema::TableKeys& table = record.tables().at("optimizer");
    REQUIRE(table.kinds.size() == 3);
    CHECK(table.kind_key == "type");
    CHECK(table.kinds[2].name == "Adam");
    CHECK(table.kinds[2].keys[0].name == "type");
    CHECK(table.kinds[2].keys[1].name == "lr");
    CHECK(table.kinds[2].keys[1].is_required);
    CHECK(table.kinds[2].keys[2].default_value == Value(0.9));
    CHECK(record.find("optimizer", "type")->choices ==
          std::vector<std::string>{"SGD", "RMSprop", "Adam"});
}

}  // namespace kinds_test
